// The variants whose special members are compiled here alone (eventlog/base/sealed_variant.hpp).
#include "eventlog/domain/command.hpp"

namespace domain {
namespace {

// SealedVariant promises that these never throw.
template <class List>
constexpr bool kNeverThrows = std::is_nothrow_default_constructible_v<base::VariantOf<List>>&&
    std::is_nothrow_move_constructible_v<base::VariantOf<List>>&&
        std::is_nothrow_move_assignable_v<base::VariantOf<List>>;
static_assert(kNeverThrows<SessionCommands>);
static_assert(kNeverThrows<Reports>);
static_assert(kNeverThrows<OutboxCommands>);
static_assert(kNeverThrows<SchedulesCommands>);
static_assert(kNeverThrows<ServerCommands>);
static_assert(kNeverThrows<RulesClientCommands>);
static_assert(kNeverThrows<ConversationCommands>);

}  // namespace
}  // namespace domain

template class base::SealedVariant<domain::SessionCommands>;
template class base::SealedVariant<domain::Reports>;
template class base::SealedVariant<domain::OutboxCommands>;
template class base::SealedVariant<domain::SchedulesCommands>;
template class base::SealedVariant<domain::ServerCommands>;
template class base::SealedVariant<domain::RulesClientCommands>;
template class base::SealedVariant<domain::ConversationCommands>;
