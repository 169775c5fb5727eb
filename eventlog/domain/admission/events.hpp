// Facts of admission, on the stream $admission; there is one for the server.
#pragma once

#include "eventlog/base/type_list.hpp"
#include "eventlog/domain/types.hpp"

namespace domain {

struct SessionAdmitted {
  static constexpr std::string_view kType = "SessionAdmitted";
  SessionId session;
  std::string agent;
  std::string alias;
  std::string name{};          // as it was given; empty: made from the prompt, or an older event
  std::int64_t name_mark = 0;  // mark of a name made from the prompt; 0: none was made

  bool operator==(const SessionAdmitted&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("session", &SessionAdmitted::session);
    visit("agent", &SessionAdmitted::agent);
    visit("alias", &SessionAdmitted::alias);
    visit("name", &SessionAdmitted::name);
    visit("name_mark", &SessionAdmitted::name_mark);
  }
};

// The session is closed and its place is free.
struct SessionReleased {
  static constexpr std::string_view kType = "SessionReleased";
  SessionId session;
  bool has_lease = false;  // its agent process has not ended; SessionSettled will follow

  bool operator==(const SessionReleased&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("session", &SessionReleased::session);
    visit("has_lease", &SessionReleased::has_lease);
  }
};

// The lease of a closed session has ended, too: nothing is left to be done for the session.
struct SessionSettled {
  static constexpr std::string_view kType = "SessionSettled";
  SessionId session;

  bool operator==(const SessionSettled&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("session", &SessionSettled::session);
  }
};

// Earlier releases admitted one session id for two agents, and the stream contradicted itself from
// there on. A salvage has ended these sessions, and the stream is consistent again.
struct AdmissionMended {
  static constexpr std::string_view kType = "AdmissionMended";
  std::vector<SessionId> ended;

  bool operator==(const AdmissionMended&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("ended", &AdmissionMended::ended);
  }
};

// The agent process of a live session has ended, and the session has no work: it is parked, and its
// place is free. Also recorded for a parked session that waits for a place no longer.
struct SessionParked {
  static constexpr std::string_view kType = "SessionParked";
  SessionId session;

  bool operator==(const SessionParked&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("session", &SessionParked::session);
  }
};

// The agent of a parked session is to be started, and no place was free. It gets the next one that
// is, behind those that have waited for longer.
struct PlaceAwaited {
  static constexpr std::string_view kType = "PlaceAwaited";
  SessionId session;

  bool operator==(const PlaceAwaited&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("session", &PlaceAwaited::session);
  }
};

// The agent of a parked session is started, and the session has a place again.
struct SessionUnparked {
  static constexpr std::string_view kType = "SessionUnparked";
  SessionId session;

  bool operator==(const SessionUnparked&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("session", &SessionUnparked::session);
  }
};

// A live session goes by another name, which was given, and has left its former one.
struct NameChanged {
  static constexpr std::string_view kType = "NameChanged";
  SessionId session;
  std::string alias;
  std::string name;

  bool operator==(const NameChanged&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("session", &NameChanged::session);
    visit("alias", &NameChanged::alias);
    visit("name", &NameChanged::name);
  }
};

using AdmissionEvents =
    base::Types<SessionAdmitted, SessionReleased, SessionSettled, AdmissionMended, SessionParked,
                PlaceAwaited, SessionUnparked, NameChanged>;

}  // namespace domain
