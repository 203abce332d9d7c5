// Tickets: a user's name, the version of the password and a time, signed with a key that all nodes share.
#include <charconv>
#include <chrono>

#include "common/error.h"
#include "common/io/base64.h"
#include "server/access/access_control.h"
#include "server/access/password_hash.h"

namespace pelorus {
namespace {

constexpr size_t kMacBytes = 32;
constexpr size_t kLongestTicket = 512;

std::string body(const std::string& user, const UserEntry& entry, int64_t untilSeconds) {
    return user + '\n' + std::to_string(entry.version) + '\n' + std::to_string(untilSeconds);
}

}  // namespace

std::string AccessControl::ticketKey() {
    if (std::string key = state()->ticketKey(); !key.empty()) return key;
    const std::string fresh = toHex(randomBytes(kMacBytes));
    change([&](const AccessState& state) {
        if (!state.ticketKey().empty()) return Change{};
        return Change{{{access_key::kTicket, 0}}, {{access_key::kTicket, fresh, 0}}};
    });
    return state()->ticketKey();
}

std::string AccessControl::makeTicket(const std::string& user, int64_t untilSeconds) {
    const std::string key = ticketKey();
    const std::shared_ptr<const AccessState> now = state();
    const UserEntry* entry = now->user(user);
    if (!entry) throw UserError("The user " + user + " does not exist.", "getUserList() lists the users.");
    const std::string string = body(user, *entry, untilSeconds);
    return toBase64(hmac(key, string) + string);
}

std::optional<std::string> AccessControl::userOfTicket(std::string_view ticket) const {
    const std::shared_ptr<const AccessState> now = state();
    if (ticket.size() > kLongestTicket || now->ticketKey().empty()) return std::nullopt;
    std::string bytes;
    if (!fromBase64(ticket, bytes) || bytes.size() <= kMacBytes) return std::nullopt;
    const std::string string = bytes.substr(kMacBytes);
    if (!sameBytes(bytes.substr(0, kMacBytes), hmac(now->ticketKey(), string))) return std::nullopt;
    const std::string user = string.substr(0, string.find('\n'));
    int64_t until = 0;
    const char* end = string.data() + string.size();
    std::from_chars(string.data() + string.rfind('\n') + 1, end, until);
    const UserEntry* entry = now->user(user);
    const int64_t seconds =
        std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
    if (!entry || until < seconds || string != body(user, *entry, until)) return std::nullopt;
    return user;
}

}  // namespace pelorus
