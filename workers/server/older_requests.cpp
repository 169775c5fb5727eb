// The older bodies are translated to commands, and outcomes back to the older replies.
#include "workers/server/older_requests.hpp"

namespace workers {
namespace {

domain::Command command_of(BackupBody body) {
  if (body.action == BackupAction::forget) return domain::ForgetBackup{std::move(body.name)};
  return domain::BeginBackup{std::move(body.name), std::move(body.folder), body.shares_files};
}

domain::Command command_of(ArchiveBody body) {
  if (body.action == ArchiveAction::forget) return domain::ForgetArchive{std::move(body.name)};
  return domain::BeginArchive{std::move(body.name), std::move(body.folder), body.before,
                              body.before_time};
}

template <class Body>
base::Result<domain::Command> read_command(const base::RawValue& raw) {
  auto body = bus::from_body<Body>(raw);
  if (!body) return tl::unexpected(body.error());
  return command_of(std::move(*body));
}

// Names the refusal as it was named before there were commands for this.
bus::ReplyError error_of(domain::RejectionCode code) {
  if (code == domain::RejectionCode::in_progress) return bus::ReplyError::busy;
  return base::parse_enum<bus::ReplyError>(base::enum_name(code)).value_or(bus::ReplyError::failed);
}

}  // namespace

bool is_older_verb(std::string_view verb) {
  return verb == kVerbBackup || verb == kVerbArchive || verb == kVerbAnchor;
}

base::Result<domain::Command> older_command(std::string_view verb, const base::RawValue& body) {
  if (verb == kVerbBackup) return read_command<BackupBody>(body);
  if (verb == kVerbArchive) return read_command<ArchiveBody>(body);
  return domain::Command(domain::RequestAnchor{});
}

bus::Reply older_reply(std::string_view verb, const bus::RequestKey& request,
                       const CommandOutcome& outcome) {
  if (!outcome) {
    return bus::error_reply(request, error_of(outcome.error().code), outcome.error().text);
  }
  return bus::ok_reply(request, verb == kVerbAnchor
                                    ? bus::to_body(AnchorReplyBody{outcome->position})
                                    : bus::to_body(CopyReplyBody{outcome->position}));
}

}  // namespace workers
