// The texts that session keys are made of: words in small letters without white space around them,
// parts between colons, ids, and names of channels. Bytes that are not UTF-8 stay as they are.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace domain {

constexpr std::string_view kMainAgent = "main";
constexpr std::string_view kDefaultAccount = "default";
// The id of an agent or an account has at most so many characters.
constexpr std::size_t kKeyIdMax = 64;

// Returns the trimmed text in small letters.
std::string key_word(std::string_view text);

using KeyTexts = std::vector<std::string_view>;
// Returns the trimmed parts between colons, as views into the key. Blank ones are left out.
KeyTexts split_key(std::string_view key);
std::string join_key(std::span<const std::string_view> parts);
// Returns the word without blank parts, which keys do not have.
std::string key_id(std::string_view text);

// Returns how many parts stand before the first thread, which is `thread` or `topic` and an id.
std::size_t place_part_count(std::span<const std::string_view> parts);
// True for `thread` and `topic`, whatever their case.
bool is_thread_word(std::string_view part);

// Returns the id in the form [a-z0-9][a-z0-9_-]*, which is an agent's name for streams as well. Bad
// characters become a dash, and ends that they leave are cut. Nothing left: "main" or "default".
std::string normal_agent_id(std::string_view text);
std::string normal_account_id(std::string_view text);

// Returns the name under which a channel is known: "imessage" for "IMsg". A channel that is not
// known keeps its word.
std::string channel_word(std::string_view text);
// True for the name of a channel that can stand at the head of a sender, and before a group's dash.
bool is_channel_word(std::string_view word);
// Returns the channel that such a word with a dash begins with: "telegram" for "telegram-777".
// Empty: it does not, or nothing follows the dash.
std::string_view channel_before_dash(std::string_view word);

}  // namespace domain
