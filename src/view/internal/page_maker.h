// Makes pages in a thread of its own, one at a time (HDF5 serves one thread), so that a long page
// does not hold up the server. Requests that come while a page is being made share it, and equal
// pages share their memory.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace grapple::view {

/// A status and a text that several connections may be sending.
struct Answer {
  int status = 200;
  std::shared_ptr<const std::string> text;
};

class PageMaker {
 public:
  using Taker = std::function<void(const Answer&)>;

  /// `make` is called in the maker's thread; its exception becomes an answer of status 500.
  PageMaker(boost::asio::io_context& loop, std::function<std::string()> make);
  /// Waits for a page that is being made.
  ~PageMaker();

  /// Calls `taker` from the loop when a page is there. To be called from the loop.
  void ask(Taker taker);

 private:
  void done(Answer made);

  boost::asio::io_context& loop_;
  std::function<std::string()> make_;
  std::vector<Taker> waiting_;
  std::vector<std::weak_ptr<const std::string>> versions_;  ///< that somebody is still reading
  Answer last_;
  boost::asio::thread_pool thread_{1};
};

}  // namespace grapple::view
