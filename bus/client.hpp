// Requests and replies over a ClientSocket that can lose either. The client says HELLO and sends a
// request again under the same id until it is answered; the server carries it out only once. It
// takes a fresh connection when nothing is heard (the Lazy Pirate of the ZeroMQ guide, chapter 4).
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>

#include "bus/frames.hpp"
#include "bus/log_reader.hpp"
#include "bus/ports.hpp"
#include "eventlog/base/one_thread.hpp"
#include "eventlog/base/random.hpp"
#include "eventlog/base/time.hpp"

namespace bus {

struct ClientOptions {
  Hello hello;           // protocols are filled in
  std::string endpoint;  // for the texts of errors
  // An unanswered request is sent again after this long, then each time after twice as long.
  base::Duration retry_after{500'000};
  // A fresh connection is taken when nothing was heard for this long although a reply is awaited.
  base::Duration silence_max{2'500'000};
};

class Client {
 public:
  // Requests that can await their reply or its take() at once; beyond it start() fails with busy.
  static constexpr std::size_t kRequestsMax = 1024;
  // Notices that wait for the caller; the oldest are dropped beyond it.
  static constexpr std::size_t kNoticesMax = 4096;
  static constexpr base::Duration kRetryMax{30'000'000};
  static constexpr base::Duration kHelloEvery{250'000};
  static constexpr int kFramesPerCycle = 256;

  // `socket`, `clock` and `random` must outlive the client.
  Client(ClientSocket& socket, base::Clock& clock, base::Random& random, ClientOptions options);

  // Sends a request and waits for its reply. Errors:
  // - too_large, refused (no protocol in common)
  // - unreachable: the server was not heard within `timeout`
  // - busy: kRequestsMax are open or the id is in use; or the server did not take the connection
  //   (too many peers), or each time had no room for the request
  // - timeout: the server took the request but did not answer
  // - io: waiting for the socket failed
  // After busy and timeout the outcome is unknown; asking again under the same id is safe. Waits in
  // poller.hpp, so it is for real sockets only.
  Result<Reply> request(std::string_view verb, base::RawValue body, base::Duration timeout);
  Result<Reply> request(const base::CommandId& id, std::string_view verb, base::RawValue body,
                        base::Duration timeout);

  // The same without waiting: call start(), then do_work() until take() returns the outcome, once.
  // `timeout` counts from the next do_work(). An id can be used again after its take().
  Result<base::CommandId> start(std::string_view verb, base::RawValue body, base::Duration timeout);
  Result<base::CommandId> start(const base::CommandId& id, std::string_view verb,
                                base::RawValue body, base::Duration timeout);
  std::optional<Result<Reply>> take(const base::CommandId& id);
  // Gives up on a request: its reply will be dropped.
  void forget(const base::CommandId& id);

  // Returns false when not welcomed yet or the socket's queue is full: it was not sent, and is
  // never sent again.
  bool send_notice(const Notice& notice);
  std::optional<Notice> take_notice();

  // `now` is a reading of Clock::boot(), never less than the one before. Returns how much it did.
  int do_work(base::Duration now);
  // The time at which do_work() has something to do even if nothing arrives.
  base::Duration next_timer() const;
  // True while a frame waits for the socket to take it.
  bool wants_write() const { return wants_write_; }

  // The server's answer to HELLO on this connection; none until it came.
  const std::optional<Welcome>& welcome() const { return welcome_; }
  // The number of answers to HELLO so far; it grows with each connection.
  std::int64_t welcome_count() const { return welcome_count_; }
  std::int64_t reconnect_count() const { return reconnect_count_; }
  std::int64_t resend_count() const { return resend_count_; }
  Pollable& socket() { return socket_; }

 private:
  struct Pending {
    std::int64_t ask = 0;
    Bytes frame;
    base::Duration timeout{0};
    std::optional<base::Duration> deadline;   // set in the first duty cycle
    std::optional<base::Duration> resend_at;  // none: to be sent now
    base::Duration retry_after{0};
    bool was_sent = false;
    std::string busy_text;          // the server's text when it had no room for it; empty: it had
    std::int64_t heard_before = 0;  // heard_count_ when it began
    std::optional<Result<Reply>> outcome;
  };

  void receive_frames();
  void take_frame(ByteView bytes);
  void take(Welcome welcome);
  void take(Reply reply);
  void take(Notice notice);
  void fail_all(const base::Error& error);
  void greet();
  void send_pending();
  void expire();
  void reconnect_if_silent();
  bool is_awaiting() const { return open_ > 0; }
  base::Error expiry_of(const Pending& pending) const;
  void settle(Pending& pending, Result<Reply> outcome);

  ClientSocket& socket_;
  base::Clock& clock_;
  base::Random& random_;
  const ClientOptions options_;
  const Bytes hello_;

  base::Duration now_{0};
  // The last request's number. It is wall time, so that it grows over the lives of the client's
  // process.
  std::int64_t asks_ = 0;
  std::map<base::CommandId, Pending> requests_;
  std::size_t open_ = 0;  // requests in requests_ without an outcome
  std::deque<Notice> notices_;
  std::optional<Welcome> welcome_;
  bool is_welcomed_ = false;
  std::string complaint_;                   // the server's last error that answers no request
  std::optional<base::Duration> hello_at_;  // when HELLO was last sent; none: to be sent now
  bool wants_write_ = false;
  base::Duration awaiting_since_{0};  // last heard, or began to await
  std::int64_t heard_count_ = 0;
  std::int64_t welcome_count_ = 0;
  std::int64_t reconnect_count_ = 0;
  std::int64_t resend_count_ = 0;
  base::OneThread thread_;
};

// Reads the log through a client's requests. The client's owner calls its do_work.
class ClientLogReader final : public LogReader {
 public:
  // `client` must outlive the reader. `timeout` and `events_max` apply to each page; events_max 0:
  // the server chooses.
  ClientLogReader(Client& client, base::Duration timeout, std::int64_t events_max = 0)
      : client_(client), timeout_(timeout), events_max_(events_max) {}
  ~ClientLogReader() override;
  void request(ReadRequest request) override;
  std::optional<Result<LogPage>> receive() override;

 private:
  Client& client_;
  const base::Duration timeout_;
  const std::int64_t events_max_;
  std::optional<Result<base::CommandId>> asked_;
};

}  // namespace bus
