#include "server_load/crowd.h"

#include <poll.h>

#include <algorithm>
#include <chrono>

namespace grapple::server_load {

using std::chrono::milliseconds;
using test::TcpClient;

double now() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(since).count();
}

std::string host_field(int port) { return "Host: 127.0.0.1:" + std::to_string(port) + "\r\n"; }

Crowd::Crowd(int port, const std::array<std::size_t, kKinds>& counts) : port_(port) {
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    for (std::size_t k = 0; k < counts[kind]; ++k) {
      members_.push_back({static_cast<Kind>(kind), {"127.0.0.1", port}, {}});
      open(members_.back());
    }
  }
  thread_ = std::thread([this] { work(); });
}

Crowd::~Crowd() {
  quit_ = true;
  thread_.join();
}

void Crowd::open(Member& member) const {
  if (member.kind == Kind::kDripping) member.client.send("GET / HTTP/1.1\r\nX: ");
  if (member.kind == Kind::kWatcher || member.kind == Kind::kDeaf) {
    member.client.send("GET /api/events HTTP/1.1\r\n" + host_field(port_) + "\r\n");
  }
}

void Crowd::work() {
  double dripped = now();
  std::vector<pollfd> watched(members_.size());
  while (!quit_) {
    std::this_thread::sleep_for(milliseconds(20));
    const bool drip = now() - dripped > 1.0;
    if (drip) dripped = now();
    for (std::size_t k = 0; k < members_.size(); ++k) {
      const Member& member = members_[k];
      if (drip && member.open && member.kind == Kind::kDripping) member.client.send("a");
      const short events = member.kind == Kind::kDeaf ? 0 : POLLIN;
      watched[k] = {member.open ? member.client.descriptor() : -1, events, 0};
    }
    poll(watched.data(), watched.size(), 0);
    for (std::size_t k = 0; k < members_.size(); ++k) {
      if (watched[k].revents == 0) continue;
      members_[k].kind == Kind::kDeaf ? lost(members_[k]) : take(members_[k]);
    }
  }
}

void Crowd::take(Member& member) {
  const std::string text = member.client.receive();
  if (text.empty()) return lost(member);
  if (member.kind != Kind::kWatcher) return;
  if (member.tail.empty() && test::status_in(text) == 200) ++watching_;
  bytes_ += text.size();
  member.tail += text;
  member.tail.erase(0, member.tail.size() - std::min<std::size_t>(member.tail.size(), 5));
}

void Crowd::lost(Member& member) {
  if (ending_) {
    if (member.kind == Kind::kWatcher && member.tail == "0\r\n\r\n") ++in_order_;
    member.open = false;
    return;
  }
  ++closed_[static_cast<std::size_t>(member.kind)];
  member.tail.clear();
  member.client = TcpClient("127.0.0.1", port_);
  open(member);
}

Flood::Flood(int port) {
  thread_ = std::thread([this, port] {
    const std::string post =
        "POST /api/command HTTP/1.1\r\n" + host_field(port) + "Content-Type: application/json\r\n";
    const std::string much(8000, 'a');
    const std::pair<std::string, std::string> kinds[] = {
        {"GET / HTTP/1.1\r\n", "A: " + much + "\r\n"},
        {"", much},
        {post + "Content-Length: 1000000000\r\n\r\n", much},
        {post + "Transfer-Encoding: chunked\r\n\r\n",
         "1000\r\n" + std::string(4096, ' ') + "\r\n"}};
    while (!quit_) {
      for (const auto& [begin, more] : kinds) {
        const TcpClient client("127.0.0.1", port);
        bool taken = client.send(begin);
        for (std::size_t sent = 0; taken && sent < (1U << 20); sent += more.size()) {
          taken = client.send(more);
          bytes_ += more.size();
        }
        ++requests_;
        std::this_thread::sleep_for(milliseconds(5));
      }
    }
  });
}

Flood::~Flood() {
  quit_ = true;
  thread_.join();
}

Steering::Steering(int port, std::size_t clients, std::string command) {
  for (std::size_t k = 0; k < clients; ++k) {
    threads_.emplace_back([this, port, command] { steer(port, command); });
  }
}

void Steering::end() {
  quit_ = true;
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
  std::sort(seconds_.begin(), seconds_.end());
}

void Steering::steer(int port, const std::string& command) {
  const std::string request =
      "POST /api/command HTTP/1.1\r\n" + host_field(port) +
      "Content-Type: application/json\r\nContent-Length: " + std::to_string(command.size()) +
      "\r\n\r\n" + command;
  std::vector<double> own;
  const TcpClient client("127.0.0.1", port);
  const auto start = std::chrono::steady_clock::now();
  for (int k = 0; !quit_; ++k) {
    std::this_thread::sleep_until(start + k * milliseconds(50));
    const double asked = now();
    client.send(request);
    const bool obeyed = test::status_in(client.receive_until("\r\n\r\n")) == 204;
    if (!obeyed) ++failed_;
    if (obeyed) own.push_back(now() - asked);
    if (!obeyed) break;
  }
  const std::lock_guard lock(mutex_);
  seconds_.insert(seconds_.end(), own.begin(), own.end());
  fewest_ = std::min(fewest_, own.size());
}

}  // namespace grapple::server_load
