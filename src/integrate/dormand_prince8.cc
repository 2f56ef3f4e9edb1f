// Dormand-Prince 8(5,3): order 8, error control by two estimates of orders 5 and 3, and a
// continuous extension of order 7 for which three more stages are evaluated. For smooth motions at
// tight tolerances: there it needs a half to a fifth of the evaluations of order 5. Source of the
// method and its numbers: Hairer, Norsett and Wanner, Solving Ordinary Differential Equations I,
// II.5, II.6 and II.10 (DOP853). That they are right is shown by the orders found
// (tests/integrate/convergence_test.cc).
#include <algorithm>
#include <array>
#include <cmath>

#include "grapple/integrate/internal/embedded_pair.h"
#include "grapple/integrate/internal/methods.h"

namespace grapple::integrate {

namespace order8 {

namespace {

constexpr std::size_t kStages = 13;     // the last is the solution
constexpr std::size_t kMoreStages = 3;  // of the continuous extension
constexpr std::size_t kRates = kStages + kMoreStages;

// A number of a table that is mostly zero.
struct Entry {
  std::size_t row, column;
  double value;
};

template <std::size_t rows, std::size_t columns, std::size_t count>
constexpr std::array<double, rows * columns> spread(const std::array<Entry, count>& entries) {
  std::array<double, rows * columns> all{};
  for (const Entry& entry : entries) all[entry.row * columns + entry.column] = entry.value;
  return all;
}

// clang-format off
constexpr std::array<double, kRates> kNode{
    0.0,
    0.526001519587677318785587544488e-01,
    0.789002279381515978178381316732e-01,
    0.118350341907227396726757197510,
    0.281649658092772603273242802490,
    0.333333333333333333333333333333,
    0.25,
    0.307692307692307692307692307692,
    0.651282051282051282051282051282,
    0.6,
    0.857142857142857142857142857142,
    1.0,
    1.0,
    0.1,
    0.2,
    0.777777777777777777777777777778,
};
// Weights of stage `column` in stage row + 1; the last row is the solution.
constexpr std::array<Entry, 58> kWeightEntries{{
    {0, 0, 5.26001519587677318785587544488e-2},
    {1, 0, 1.97250569845378994544595329183e-2},
    {1, 1, 5.91751709536136983633785987549e-2},
    {2, 0, 2.95875854768068491816892993775e-2},
    {2, 2, 8.87627564304205475450678981324e-2},
    {3, 0, 2.41365134159266685502369798665e-1},
    {3, 2, -8.84549479328286085344864962717e-1},
    {3, 3, 9.24834003261792003115737966543e-1},
    {4, 0, 3.7037037037037037037037037037e-2},
    {4, 3, 1.70828608729473871279604482173e-1},
    {4, 4, 1.25467687566822425016691814123e-1},
    {5, 0, 3.7109375e-2},
    {5, 3, 1.70252211019544039314978060272e-1},
    {5, 4, 6.02165389804559606850219397283e-2},
    {5, 5, -1.7578125e-2},
    {6, 0, 3.70920001185047927108779319836e-2},
    {6, 3, 1.70383925712239993810214054705e-1},
    {6, 4, 1.07262030446373284651809199168e-1},
    {6, 5, -1.53194377486244017527936158236e-2},
    {6, 6, 8.27378916381402288758473766002e-3},
    {7, 0, 6.24110958716075717114429577812e-1},
    {7, 3, -3.36089262944694129406857109825},
    {7, 4, -8.68219346841726006818189891453e-1},
    {7, 5, 2.75920996994467083049415600797e1},
    {7, 6, 2.01540675504778934086186788979e1},
    {7, 7, -4.34898841810699588477366255144e1},
    {8, 0, 4.77662536438264365890433908527e-1},
    {8, 3, -2.48811461997166764192642586468},
    {8, 4, -5.90290826836842996371446475743e-1},
    {8, 5, 2.12300514481811942347288949897e1},
    {8, 6, 1.52792336328824235832596922938e1},
    {8, 7, -3.32882109689848629194453265587e1},
    {8, 8, -2.03312017085086261358222928593e-2},
    {9, 0, -9.3714243008598732571704021658e-1},
    {9, 3, 5.18637242884406370830023853209},
    {9, 4, 1.09143734899672957818500254654},
    {9, 5, -8.14978701074692612513997267357},
    {9, 6, -1.85200656599969598641566180701e1},
    {9, 7, 2.27394870993505042818970056734e1},
    {9, 8, 2.49360555267965238987089396762},
    {9, 9, -3.0467644718982195003823669022},
    {10, 0, 2.27331014751653820792359768449},
    {10, 3, -1.05344954667372501984066689879e1},
    {10, 4, -2.00087205822486249909675718444},
    {10, 5, -1.79589318631187989172765950534e1},
    {10, 6, 2.79488845294199600508499808837e1},
    {10, 7, -2.85899827713502369474065508674},
    {10, 8, -8.87285693353062954433549289258},
    {10, 9, 1.23605671757943030647266201528e1},
    {10, 10, 6.43392746015763530355970484046e-1},
    {11, 0, 5.42937341165687622380535766363e-2},
    {11, 5, 4.45031289275240888144113950566},
    {11, 6, 1.89151789931450038304281599044},
    {11, 7, -5.8012039600105847814672114227},
    {11, 8, 3.1116436695781989440891606237e-1},
    {11, 9, -1.52160949662516078556178806805e-1},
    {11, 10, 2.01365400804030348374776537501e-1},
    {11, 11, 4.47106157277725905176885569043e-2},
}};
// The same of the stages of the continuous extension.
constexpr std::array<Entry, 24> kMoreEntries{{
    {0, 0, 5.61675022830479523392909219681e-2},
    {0, 6, 2.53500210216624811088794765333e-1},
    {0, 7, -2.46239037470802489917441475441e-1},
    {0, 8, -1.24191423263816360469010140626e-1},
    {0, 9, 1.5329179827876569731206322685e-1},
    {0, 10, 8.20105229563468988491666602057e-3},
    {0, 11, 7.56789766054569976138603589584e-3},
    {0, 12, -8.298e-3},
    {1, 0, 3.18346481635021405060768473261e-2},
    {1, 5, 2.83009096723667755288322961402e-2},
    {1, 6, 5.35419883074385676223797384372e-2},
    {1, 7, -5.49237485713909884646569340306e-2},
    {1, 10, -1.08347328697249322858509316994e-4},
    {1, 11, 3.82571090835658412954920192323e-4},
    {1, 12, -3.40465008687404560802977114492e-4},
    {1, 13, 1.41312443674632500278074618366e-1},
    {2, 0, -4.28896301583791923408573538692e-1},
    {2, 5, -4.69762141536116384314449447206},
    {2, 6, 7.68342119606259904184240953878},
    {2, 7, 4.06898981839711007970213554331},
    {2, 8, 3.56727187455281109270669543021e-1},
    {2, 12, -1.39902416515901462129418009734e-3},
    {2, 13, 2.9475147891527723389556272149},
    {2, 14, -9.15095847217987001081870187138},
}};
// Its terms of degrees four to seven.
constexpr std::array<Entry, 48> kDenseEntries{{
    {0, 0, -0.84289382761090128651353491142e+1},
    {0, 5, 0.56671495351937776962531783590},
    {0, 6, -0.30689499459498916912797304727e+1},
    {0, 7, 0.23846676565120698287728149680e+1},
    {0, 8, 0.21170345824450282767155149946e+1},
    {0, 9, -0.87139158377797299206789907490},
    {0, 10, 0.22404374302607882758541771650e+1},
    {0, 11, 0.63157877876946881815570249290},
    {0, 12, -0.88990336451333310820698117400e-1},
    {0, 13, 0.18148505520854727256656404962e+2},
    {0, 14, -0.91946323924783554000451984436e+1},
    {0, 15, -0.44360363875948939664310572000e+1},
    {1, 0, 0.10427508642579134603413151009e+2},
    {1, 5, 0.24228349177525818288430175319e+3},
    {1, 6, 0.16520045171727028198505394887e+3},
    {1, 7, -0.37454675472269020279518312152e+3},
    {1, 8, -0.22113666853125306036270938578e+2},
    {1, 9, 0.77334326684722638389603898808e+1},
    {1, 10, -0.30674084731089398182061213626e+2},
    {1, 11, -0.93321305264302278729567221706e+1},
    {1, 12, 0.15697238121770843886131091075e+2},
    {1, 13, -0.31139403219565177677282850411e+2},
    {1, 14, -0.93529243588444783865713862664e+1},
    {1, 15, 0.35816841486394083752465898540e+2},
    {2, 0, 0.19985053242002433820987653617e+2},
    {2, 5, -0.38703730874935176555105901742e+3},
    {2, 6, -0.18917813819516756882830838328e+3},
    {2, 7, 0.52780815920542364900561016686e+3},
    {2, 8, -0.11573902539959630126141871134e+2},
    {2, 9, 0.68812326946963000169666922661e+1},
    {2, 10, -0.10006050966910838403183860980e+1},
    {2, 11, 0.77771377980534432092869265740},
    {2, 12, -0.27782057523535084065932004339e+1},
    {2, 13, -0.60196695231264120758267380846e+2},
    {2, 14, 0.84320405506677161018159903784e+2},
    {2, 15, 0.11992291136182789328035130030e+2},
    {3, 0, -0.25693933462703749003312586129e+2},
    {3, 5, -0.15418974869023643374053993627e+3},
    {3, 6, -0.23152937917604549567536039109e+3},
    {3, 7, 0.35763911791061412378285349910e+3},
    {3, 8, 0.93405324183624310003907691704e+2},
    {3, 9, -0.37458323136451633156875139351e+2},
    {3, 10, 0.10409964950896230045147246184e+3},
    {3, 11, 0.29840293426660503123344363579e+2},
    {3, 12, -0.43533456590011143754432175058e+2},
    {3, 13, 0.96324553959188282948394950600e+2},
    {3, 14, -0.39177261675615439165231486172e+2},
    {3, 15, -0.14972683625798562581422125276e+3},
}};
// The estimate of order 5.
constexpr std::array<Entry, 8> kError5Entries{{
    {0, 0, 0.1312004499419488073250102996e-1},
    {0, 5, -0.1225156446376204440720569753e+1},
    {0, 6, -0.4957589496572501915214079952},
    {0, 7, 0.1664377182454986536961530415e+1},
    {0, 8, -0.3503288487499736816886487290},
    {0, 9, 0.3341791187130174790297318841},
    {0, 10, 0.8192320648511571246570742613e-1},
    {0, 11, -0.2235530786388629525884427845e-1},
}};
// The solution minus one of order 3, which has these weights.
constexpr std::array<Entry, 3> kThirdOrderEntries{{
    {0, 0, 0.244094488188976377952755905512},
    {0, 8, 0.733846688281611857341361741547},
    {0, 11, 0.220588235294117647058823529412e-1},
}};
// clang-format on
constexpr auto kWeight = spread<kStages - 1, kStages - 1>(kWeightEntries);
constexpr auto kMoreWeight = spread<kMoreStages, kRates>(kMoreEntries);
constexpr auto kDense = spread<4, kRates>(kDenseEntries);
constexpr auto kError5 = spread<1, kStages>(kError5Entries);
constexpr std::array<double, kStages> error3_weights() {
  std::array<double, kStages> error{};
  for (std::size_t j = 0; j + 1 < kStages; ++j)
    error[j] = kWeight[(kStages - 2) * (kStages - 1) + j];
  for (const Entry& entry : kThirdOrderEntries) error[entry.column] -= entry.value;
  return error;
}
constexpr auto kError3 = error3_weights();

class DormandPrince8 final : public EmbeddedPair {
 public:
  DormandPrince8(Problem& problem, const IntegratorOptions& options)
      : EmbeddedPair(problem, options,
                     {kStages, std::span(kNode).first<kStages>(), kWeight, kMoreStages, 8.0}) {
    for (auto& c : dense_) c.resize(size(), 0.0);
  }

  void interpolate(double time, std::span<double> x_out) override {
    const double h = t_ - t_previous_;
    const double s = h > 0.0 ? (time - t_previous_) / h : 1.0;
    const double r = 1.0 - s;
    for (std::size_t i = 0; i < size(); ++i) {
      double sum = 0.0;
      for (std::size_t j = kTerms; j-- > 1;) sum = (sum + dense_[j][i]) * (j % 2 == 1 ? s : r);
      x_out[i] = dense_[0][i] + sum;
    }
    problem_.project(time, x_out);
  }

 private:
  static constexpr std::size_t kTerms = 8;

  void reset_extension() override {
    dense_[0] = x_;
    for (std::size_t j = 1; j < kTerms; ++j) std::fill(dense_[j].begin(), dense_[j].end(), 0.0);
  }

  // e5^2 / sqrt(e5^2 + 0.01 e3^2) per component: of order 7, and large where the estimates differ.
  double error_norm(double h) override {
    for (std::size_t i = 0; i < controlled_; ++i) {
      double e3 = 0.0, e5 = 0.0;
      for (std::size_t j = 0; j < kStages; ++j) {
        e3 += kError3[j] * k_[j][i];
        e5 += kError5[j] * k_[j][i];
      }
      const double size = std::hypot(e5, 0.1 * e3);
      error_[i] = size > 0.0 ? h * e5 * std::abs(e5) / size : 0.0;
    }
    const auto [error, worst] = largest_judged();
    worst_ = worst;
    return error;
  }

  // Without the stages, where one cannot be evaluated, the extension is of order 3.
  void extend(double t, double t_end) override {
    const double h = t_end - t;
    const bool smooth = evaluate_more_stages(t, h);
    for (std::size_t i = 0; i < size(); ++i) {
      const double chord = x_end_[i] - x_start_[i];
      dense_[0][i] = x_start_[i];
      dense_[1][i] = chord;
      dense_[2][i] = h * k_[0][i] - chord;
      dense_[3][i] = 2.0 * chord - h * (k_[kStages - 1][i] + k_[0][i]);
      for (std::size_t term = 0; term < 4; ++term) {
        double sum = 0.0;
        for (std::size_t j = 0; smooth && j < kRates; ++j)
          sum += kDense[term * kRates + j] * k_[j][i];
        dense_[4 + term][i] = h * sum;
      }
    }
  }

  bool evaluate_more_stages(double t, double h) {
    for (std::size_t s = 0; s < kMoreStages; ++s) {
      for (std::size_t i = 0; i < size(); ++i) {
        double sum = 0.0;
        for (std::size_t j = 0; j < kStages + s; ++j) sum += kMoreWeight[s * kRates + j] * k_[j][i];
        stage_[i] = x_start_[i] + h * sum;
      }
      if (!evaluate(t + kNode[kStages + s] * h, stage_, k_[kStages + s])) return false;
    }
    return true;
  }

  std::array<std::vector<double>, kTerms> dense_;
};

}  // namespace

}  // namespace order8

std::unique_ptr<Stepper> make_dormand_prince8(Problem& problem, const IntegratorOptions& options) {
  return std::make_unique<order8::DormandPrince8>(problem, options);
}

}  // namespace grapple::integrate
