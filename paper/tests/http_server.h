// An HTTP server on a free port of this machine, which answers each request with the bytes that a function gives for
// its path, whatever they are, and closes the connection. Without bytes it says nothing and waits for the client to go.
#pragma once

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

namespace plumbline::testing {

inline int listen_on_free_port(int* port) {
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* name = reinterpret_cast<sockaddr*>(&address);
  if (listener < 0 || ::bind(listener, name, size) != 0 || ::listen(listener, 16) != 0 ||
      ::getsockname(listener, name, &size) != 0)
    throw std::runtime_error("cannot listen on a port of this machine");
  *port = ntohs(address.sin_port);
  return listener;
}

// An address where nobody listens: a port that was free a moment ago.
inline std::string address_of_nobody() {
  int port = 0;
  ::close(listen_on_free_port(&port));
  return "http://127.0.0.1:" + std::to_string(port);
}

class HttpServer {
 public:
  using Answer = std::function<std::string(const std::string& path)>;

  explicit HttpServer(Answer answer) : answer_(std::move(answer)), listener_(listen_on_free_port(&port_)) {
    if (::pipe(stop_) != 0) throw std::runtime_error("cannot open a pipe");
    thread_ = std::thread([this] { serve(); });
  }
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  ~HttpServer() {
    ::close(stop_[1]);
    thread_.join();
    ::close(stop_[0]);
    ::close(listener_);
  }

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  int requests() const { return requests_; }

 private:
  // Whether there is something to read before the server is stopped.
  bool wait_for(int file) const {
    pollfd files[] = {{file, POLLIN, 0}, {stop_[0], POLLIN, 0}};
    return ::poll(files, 2, -1) > 0 && files[1].revents == 0;
  }

  void serve() {
    while (wait_for(listener_)) {
      const int client = ::accept(listener_, nullptr, nullptr);
      if (client < 0) continue;
      answer(client);
      ::close(client);
    }
  }

  void answer(int client) {
    std::string request;
    char part[4096];
    while (request.find("\r\n\r\n") == std::string::npos) {
      const ssize_t got = wait_for(client) ? ::recv(client, part, sizeof part, 0) : 0;
      if (got <= 0) return;
      request.append(part, static_cast<std::size_t>(got));
    }
    ++requests_;
    const std::size_t path = request.find(' ') + 1;
    const std::string bytes = answer_(request.substr(path, request.find(' ', path) - path));
    for (std::size_t sent = 0; sent < bytes.size();) {
      const ssize_t now = ::send(client, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
      if (now <= 0) return;
      sent += static_cast<std::size_t>(now);
    }
    if (bytes.empty()) wait_for(client);
  }

  Answer answer_;
  int port_ = 0;
  int listener_ = -1;
  int stop_[2] = {-1, -1};
  std::atomic<int> requests_ = 0;
  std::thread thread_;
};

}  // namespace plumbline::testing
