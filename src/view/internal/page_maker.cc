#include "grapple/view/internal/page_maker.h"

#include <boost/asio/post.hpp>
#include <exception>
#include <utility>

namespace grapple::view {

namespace {

/// Pages of a growing run differ; slow readers may hold so many versions, then share the newest.
constexpr std::size_t kMostVersions = 4;

}  // namespace

PageMaker::PageMaker(boost::asio::io_context& loop, std::function<std::string()> make)
    : loop_(loop), make_(std::move(make)) {}

PageMaker::~PageMaker() { thread_.join(); }

void PageMaker::ask(Taker taker) {
  std::erase_if(versions_, [](const auto& version) { return version.expired(); });
  if (versions_.size() >= kMostVersions) return taker(last_);
  waiting_.push_back(std::move(taker));
  if (waiting_.size() > 1) return;  // it is being made
  boost::asio::post(thread_, [this] {
    Answer made;
    try {
      made.text = std::make_shared<const std::string>(make_());
    } catch (const std::exception& error) {
      made = {500, std::make_shared<const std::string>(std::string(error.what()) + "\n")};
    }
    boost::asio::post(loop_, [this, made] { done(made); });
  });
}

void PageMaker::done(Answer made) {
  const bool same = last_.text && *last_.text == *made.text;
  if (same) made.text = last_.text;
  if (!same) versions_.push_back(made.text);
  last_ = std::move(made);
  const std::vector<Taker> takers = std::exchange(waiting_, {});
  for (const Taker& taker : takers) taker(last_);
}

}  // namespace grapple::view
