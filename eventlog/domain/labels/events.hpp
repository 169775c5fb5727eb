// Facts of the labels of an agent's conversations: each belongs to one conversation at a time.
#pragma once

#include <string>

#include "eventlog/base/type_list.hpp"

namespace domain {

struct LabelTaken {
  static constexpr std::string_view kType = "LabelTaken";
  std::string label;
  std::string conversation;  // its key

  bool operator==(const LabelTaken&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("label", &LabelTaken::label);
    visit("conversation", &LabelTaken::conversation);
  }
};

struct LabelFreed {
  static constexpr std::string_view kType = "LabelFreed";
  std::string label;

  bool operator==(const LabelFreed&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("label", &LabelFreed::label);
  }
};

using LabelsEvents = base::Types<LabelTaken, LabelFreed>;

}  // namespace domain
