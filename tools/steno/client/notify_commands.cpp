// `steno notify`: lists the notifications that have not reached their targets; tries them again, or
// drops them.
#include "tools/steno/client/client_commands.hpp"
#include "tools/steno/connection/connection.hpp"
#include "tools/steno/text/console.hpp"
#include "tools/steno/text/table.hpp"
#include "tools/steno/text/units.hpp"
#include "workers/json/json.hpp"
#include "workers/protocol/notifications.hpp"

namespace steno {
namespace {

using workers::NotificationRow;

// Returns the number of the notification that the row waits for; 0: none.
std::int64_t earlier_of(const workers::NotificationsAnswer& answer, const NotificationRow& row) {
  for (const NotificationRow& other : answer.notifications) {
    if (other.notification == row.notification) break;
    const bool is_of_one =
        other.session == row.session && other.target == row.target && other.channel == row.channel;
    if (is_of_one && other.next_at.us != 0) return other.notification.value;
  }
  return 0;
}

std::string next_text(const workers::NotificationsAnswer& answer, const NotificationRow& row,
                      base::Time now) {
  if (!row.has_sink) return "no sink";
  if (row.next_at.us == 0) return "given up";
  if (const auto earlier = earlier_of(answer, row); earlier != 0) {
    return "behind " + std::to_string(earlier);
  }
  return row.next_at <= now ? "now" : "in " + duration_text(row.next_at - now);
}

std::string table_text(const workers::NotificationsAnswer& answer, base::Time now) {
  Table table({{"NUMBER", Align::right},
               {"SESSION"},
               {"ABOUT"},
               {"TARGET"},
               {"AGE", Align::right},
               {"TRIED", Align::right},
               {"NEXT"},
               {"LAST ERROR", Align::left, 60}});
  for (const NotificationRow& row : answer.notifications) {
    const std::string target(base::enum_name(row.target));
    table.add({std::to_string(row.notification.value), row.alias,
               std::string(base::enum_name(row.kind)),
               row.target == domain::NotificationTarget::channel ? row.channel : target,
               duration_text(now - row.at), std::to_string(row.attempts),
               next_text(answer, row, now), row.error});
  }
  return table.text(stdout_columns());
}

Outcome<int> command_named(const Config& config, const NotifyArguments& arguments,
                           const domain::OutboxCommand& command, std::string_view done) {
  if (arguments.is_all == (arguments.notification != 0)) {
    return fail(kExitUsage, "name one notification by its number, or say --all");
  }
  auto connection = Connection::open(config);
  if (!connection) return tl::unexpected(connection.error());
  const auto taken = (*connection)->command_outbox(command);
  if (!taken) return tl::unexpected(taken.error());
  remark((arguments.is_all ? "all that were given up"
                           : "notification " + std::to_string(arguments.notification)) +
         ": " + std::string(done));
  return kExitOk;
}

}  // namespace

Outcome<int> notify_list(const Config& config, const NotifyArguments&) {
  auto connection = Connection::open(config);
  if (!connection) return tl::unexpected(connection.error());
  const auto answer =
      (*connection)
          ->ask<workers::NotificationsAnswer>(workers::kVerbNotifications, workers::QueryBody{});
  if (!answer) return tl::unexpected(answer.error());
  if (config.output == OutputFormat::json) {
    print(workers::to_json(*answer) + "\n");
  } else if (config.output == OutputFormat::jsonl) {
    for (const NotificationRow& row : answer->notifications) print(workers::to_json(row) + "\n");
  } else if (answer->notifications.empty()) {
    remark("every notification has reached its target; so far " +
           std::to_string(answer->delivered) + " have, and " + std::to_string(answer->dropped) +
           (answer->dropped == 1 ? " was dropped" : " were dropped"));
  } else {
    print(table_text(*answer, (*connection)->clock().wall()));
  }
  return kExitOk;
}

Outcome<int> notify_retry(const Config& config, const NotifyArguments& arguments) {
  return command_named(config, arguments,
                       domain::RetryNotification{base::Position{arguments.notification}},
                       "tried again");
}

Outcome<int> notify_drop(const Config& config, const NotifyArguments& arguments) {
  return command_named(config, arguments,
                       domain::DropNotification{base::Position{arguments.notification}}, "dropped");
}

}  // namespace steno
