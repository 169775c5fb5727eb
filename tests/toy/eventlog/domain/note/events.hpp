// Facts of a page of notes. The text of a note is its content.
#pragma once

#include "eventlog/domain/content.hpp"

namespace domain {

// Content: the note.
struct NoteWritten {
  static constexpr std::string_view kType = "NoteWritten";

  bool operator==(const NoteWritten&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&&) {}
};

#ifdef TOY_KEEPS_ITS_TEXTS
using NoteEvents = base::Types<NoteWritten>;
#else
using NoteEvents = base::Joined<base::Types<NoteWritten>, ContentEvents>;
#endif

}  // namespace domain
