// Users, groups and tickets.
#include <fmt/format.h>

#include <chrono>
#include <cmath>

#include "common/error.h"
#include "common/io/audit.h"
#include "common/log.h"
#include "common/time/calendar.h"
#include "database/service/database_handle.h"
#include "database/service/status_table.h"
#include "runtime/registry/function_theme.h"
#include "runtime/registry/registry.h"
#include "runtime/value/vector.h"
#include "server/access/access_control.h"
#include "server/access/client_policy.h"
#include "server/access/login_throttle.h"
#include "server/access/password_login.h"
#include "server/builtins/server_builtins.h"
#include "server/builtins/server_services.h"
#include "server/session/session_registry.h"

namespace pelorus {
namespace {

AccessControl& access(Context& context) {
    return requireService<AccessControl>(context, "Users");
}

std::string password(const Value& v, int argument, const char* name) {
    if (!v.isString() || v.isNull()) throw UserError(argument, std::string(name) + " must be a STRING.");
    return std::string(v.string());
}

// A new password, which must be a good one where the server demands it.
std::string newPassword(Context& context, const Value& v, int argument, const char* name) {
    const std::string given = password(v, argument, name);
    const auto* policy = context.service<ClientPolicy>();
    requireGoodPassword(given, policy && policy->enhancedSecurity);
    return given;
}

std::string listed(const std::vector<std::string>& names) {
    return fmt::format("[{}]", fmt::join(names, ","));
}

Value namesAsVector(const std::vector<std::string>& names) {
    return Value::of(Vector::ofStrings(names));
}

Value createUser(Context& context, Arguments arguments) {
    const std::string user = nameArgument(arguments[0], 0, "userId");
    const bool isAdmin = arguments[3].isNumber() && !arguments[3].isNull() && arguments[3].integer() != 0;
    if (!isOmitted(arguments[4]) && !arguments[4].isVoid()) {
        const std::string mode = nameArgument(arguments[4], 4, "authMode");
        if (mode == "scram")
            throw UserError(4, "Logins by SCRAM are not supported: passwords are kept as scrypt hashes.",
                            "Leave authMode out; clients encrypt the login with getDynamicPublicKey.");
        if (mode != "sha256") throw UserError(4, "authMode must be \"sha256\".");
    }
    const std::vector<std::string> groups = namesArgument(arguments[2], 2, "groupIds");
    const std::string detail = fmt::format("userId={} groupIds={} isAdmin={}", user, listed(groups), isAdmin);
    AuditedChange change({.operation = "createUser", .detail = detail});
    access(context).createUser(user, newPassword(context, arguments[1], 1, "password"), groups, isAdmin);
    change.done();
    return Value();
}

Value deleteUser(Context& context, Arguments arguments) {
    const std::string user = nameArgument(arguments[0], 0, "userId");
    const std::string detail = "userId=" + user;
    AuditedChange change({.operation = "deleteUser", .detail = detail});
    access(context).deleteUser(user);
    change.done();
    return Value();
}

// Throws when the running code may not log in as the user, by a password or a ticket that it makes: other
// administrators would become `admin`, or write code that admin runs.
void requireMayBecome(Context& context, const std::string& user) {
    if (context.request->principal().powers().everything) return;
    if (user != kAdministrator && !access(context).principalOf(user)->may(Right::WriteModules)) return;
    throw UserError(0, fmt::format("<NoPrivilege>Only admin can change the password of {}, or make its tickets.", user),
                    user == kAdministrator ? "Log in as admin." : "The user has the right MODULE_WRITE.");
}

Value resetPassword(Context& context, Arguments arguments) {
    const std::string user = nameArgument(arguments[0], 0, "userId");
    if (!access(context).hasUser(user))
        throw UserError(0, "The user " + user + " does not exist.", "getUserList() lists the users.");
    requireMayBecome(context, user);
    const std::string detail = "userId=" + user;
    AuditedChange change({.operation = "resetPwd", .detail = detail});
    access(context).setPassword(user, newPassword(context, arguments[1], 1, "newPwd"));
    change.done();
    return Value();
}

Value createGroup(Context& context, Arguments arguments) {
    const std::string group = nameArgument(arguments[0], 0, "groupId");
    const std::vector<std::string> members = namesArgument(arguments[1], 1, "userIds");
    const std::string detail = fmt::format("groupId={} userIds={}", group, listed(members));
    AuditedChange change({.operation = "createGroup", .detail = detail});
    access(context).createGroup(group, members);
    change.done();
    return Value();
}

Value deleteGroup(Context& context, Arguments arguments) {
    const std::string group = nameArgument(arguments[0], 0, "groupName");
    const std::string detail = "groupId=" + group;
    AuditedChange change({.operation = "deleteGroup", .detail = detail});
    access(context).deleteGroup(group);
    change.done();
    return Value();
}

struct Members {
    std::vector<std::string> users;
    std::vector<std::string> groups;
};

Members membersOf(Arguments arguments) {
    Members members{namesArgument(arguments[0], 0, "userIds"), namesArgument(arguments[1], 1, "groupIds")};
    if (members.users.empty()) throw UserError(0, "userIds must be the name of a user, or several.");
    if (members.groups.empty()) throw UserError(1, "groupIds must be the name of a group, or several.");
    if (members.users.size() > 1 && members.groups.size() > 1)
        throw UserError("userIds and groupIds cannot both be several.", "Call the function for each group.");
    return members;
}

Value addGroupMember(Context& context, Arguments arguments) {
    const Members members = membersOf(arguments);
    const std::string detail = fmt::format("userIds={} groupIds={}", listed(members.users), listed(members.groups));
    AuditedChange change({.operation = "addGroupMember", .detail = detail});
    access(context).addMembers(members.users, members.groups);
    change.done();
    return Value();
}

Value deleteGroupMember(Context& context, Arguments arguments) {
    const Members members = membersOf(arguments);
    const std::string detail = fmt::format("userIds={} groupIds={}", listed(members.users), listed(members.groups));
    AuditedChange change({.operation = "deleteGroupMember", .detail = detail});
    access(context).removeMembers(members.users, members.groups);
    change.done();
    return Value();
}

Value userList(Context& context, Arguments) {
    std::vector<std::string> names;
    for (const auto& [name, entry] : access(context).state()->users()) {
        if (name != kAdministrator) names.push_back(name);
    }
    return namesAsVector(names);
}

Value groupList(Context& context, Arguments) {
    const auto state = access(context).state();
    return namesAsVector({state->groups().begin(), state->groups().end()});
}

Value usersByGroup(Context& context, Arguments arguments) {
    const std::string group = nameArgument(arguments[0], 0, "groupId");
    const auto state = access(context).state();
    if (!state->hasGroup(group))
        throw UserError(0, "The group " + group + " does not exist.", "getGroupList() lists the groups.");
    std::vector<std::string> names;
    for (const auto& [name, entry] : state->users()) {
        if (entry.groups.count(group) > 0) names.push_back(name);
    }
    return namesAsVector(names);
}

Value groupsByUser(Context& context, Arguments arguments) {
    const std::string user = nameArgument(arguments[0], 0, "userId");
    const auto state = access(context).state();
    const UserEntry* entry = state->user(user);
    if (!entry) throw UserError(0, "The user " + user + " does not exist.", "getUserList() lists the users.");
    return namesAsVector({entry->groups.begin(), entry->groups.end()});
}

Value authenticatedUsers(Context& context, Arguments) {
    std::set<std::string> names;
    for (const SessionStatus& s : requireService<SessionRegistry>(context, "Sessions").all()) {
        if (s.userId != "guest" && !s.isNode) names.insert(s.userId);
    }
    return namesAsVector({names.begin(), names.end()});
}

Value passwordStatus(Context& context, Arguments arguments) {
    const auto state = access(context).state();
    std::vector<std::vector<Value>> rows;
    const auto add = [&](const std::string& name, const UserEntry& entry) {
        rows.push_back({Value::ofString(name), Value::scalar(Type::NanoTimestamp, entry.passwordSetNanos),
                        Value::nullOf(Type::NanoTimestamp), Value::ofString("SHA256")});
    };
    if (isOmitted(arguments[0]) || arguments[0].isVoid()) {
        for (const auto& [name, entry] : state->users()) {
            if (name != kAdministrator) add(name, entry);
        }
    } else {
        const std::string user = nameArgument(arguments[0], 0, "user");
        const UserEntry* entry = state->user(user);
        if (!entry) throw UserError(0, "The user " + user + " does not exist.", "getUserList() lists the users.");
        add(user, *entry);
    }
    return statusTable({{"user", Type::String},
                        {"setTime", Type::NanoTimestamp},
                        {"expireTime", Type::NanoTimestamp},
                        {"authMode", Type::String}},
                       rows);
}

// Returns the seconds of a DURATION; 0 for units that are not from a second to a week.
int64_t secondsOf(const Value& duration) {
    const auto unit = static_cast<DurationUnit>(duration.unit());
    if (unit < DurationUnit::Second || unit > DurationUnit::Week) return 0;
    return duration.integer() * (calendar::nanosPerUnit(unit) / 1'000'000'000);
}

LoginThrottle& locks(Context& context) {
    const auto* policy = context.service<ClientPolicy>();
    if (!policy || !policy->enhancedSecurity)
        throw UserError(
            "Users are locked only where the setting enhancedSecurityVerification is true.",
            "Set it and restart the server; deny(user, SCRIPT_EXEC) and resetPwd keep a user out meanwhile.");
    return requireService<LoginThrottle>(context, "Locked users");
}

Value lockUser(Context& context, Arguments arguments) {
    const std::string user = nameArgument(arguments[0], 0, "userId");
    if (!access(context).hasUser(user))
        throw UserError(0, "The user " + user + " does not exist.", "getUserList() lists the users.");
    if (user == kAdministrator) throw UserError(0, "The user admin cannot be locked.");
    const std::string detail = "userId=" + user;
    AuditedChange change({.operation = "lockUser", .detail = detail});
    locks(context).lock(user);
    change.done();
    return Value();
}

Value unlockUser(Context& context, Arguments arguments) {
    const std::string user = nameArgument(arguments[0], 0, "userId");
    const std::string detail = "userId=" + user;
    AuditedChange change({.operation = "unlockUser", .detail = detail});
    if (!locks(context).unlock(user)) throw UserError(0, "The user " + user + " is not locked.");
    change.done();
    return Value();
}

Value lockedStatus(Context& context, Arguments) {
    std::vector<std::vector<Value>> rows;
    for (const LoginThrottle::Lock& lock : locks(context).locked()) {
        rows.push_back({Value::ofString(lock.user), Value::ofString(lock.address.empty() ? "*" : lock.address),
                        Value::scalar(Type::Timestamp, lock.sinceMillis),
                        lock.untilMillis == 0 ? Value::nullOf(Type::Timestamp)
                                              : Value::scalar(Type::Timestamp, lock.untilMillis)});
    }
    return statusTable(
        {{"user", Type::String}, {"IP", Type::String}, {"lockTime", Type::Timestamp}, {"unlockTime", Type::Timestamp}},
        rows);
}

Value setSessionTime(Context& context, Arguments arguments) {
    const Value& v = arguments[0];
    const bool isDuration = v.isScalar() && v.type() == Type::Duration && !v.isNull();
    const int64_t seconds = isDuration ? secondsOf(v) : 0;
    if (seconds <= 0 || seconds > 30 * 24 * 3600)
        throw UserError(0, "expire must be a DURATION of seconds to days, of 30 days at most.", "As in 3600s.");
    requireService<SessionRegistry>(context, "Sessions").setIdleSeconds(seconds);
    return Value();
}

Value sessionTime(Context& context, Arguments) {
    const int64_t seconds = requireService<SessionRegistry>(context, "Sessions").idleSeconds();
    return Value::ofDuration(static_cast<int32_t>(seconds), static_cast<int32_t>(DurationUnit::Second));
}

constexpr int64_t kUsualTicketSeconds = 24 * 3600;

// Times of scripts are local; a ticket holds seconds of UTC.
int64_t untilSeconds(const Value& v, int argument) {
    const int64_t now =
        std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
    if (isOmitted(v) || v.isVoid()) return now + kUsualTicketSeconds;
    if (!v.isScalar() || v.type() != Type::DateTime || v.isNull())
        throw UserError(argument, "expire must be a DATETIME.", "As in 2030.12.31T12:00:00.");
    // Offsets of time zones are multiples of a quarter of an hour.
    const int64_t offset = std::lround(static_cast<double>(localMillis() / 1000 - now) / 900) * 900;
    const int64_t until = v.integer() - offset;
    if (until <= now) throw UserError(argument, "expire is in the past.");
    return until;
}

// Throws when the user is locked out for the client of this session.
void requireUnlocked(Context& context, const std::string& user) {
    const auto* throttle = context.service<LoginThrottle>();
    const auto* sessions = context.service<SessionRegistry>();
    if (throttle && sessions) throttle->requireUnlocked(user, sessions->status(context.request->sessionId).remoteHost);
}

Value ownTicket(Context& context, Arguments arguments) {
    const Principal& who = context.request->principal();
    if (who.isGuest()) throw UserError("A guest has no ticket.", "Log in first.");
    requireUnlocked(context, who.user());
    return Value::ofString(access(context).makeTicket(who.user(), untilSeconds(arguments[0], 0)));
}

Value ticketOf(Context& context, Arguments arguments) {
    const std::string user = nameArgument(arguments[0], 0, "userName");
    if (access(context).hasUser(user)) requireMayBecome(context, user);
    const std::string detail = "userId=" + user;
    AuditedChange change({.operation = "generateUserTicket", .detail = detail});
    Value ticket = Value::ofString(access(context).makeTicket(user, untilSeconds(arguments[1], 1)));
    change.done();
    return ticket;
}

void logIn(Context& context, const std::string& user) {
    requireService<SessionRegistry>(context, "Sessions")
        .setUser(context.request->sessionId, access(context).principalOf(user));
}

Value authenticateByTicket(Context& context, Arguments arguments) {
    const std::optional<std::string> user = access(context).userOfTicket(password(arguments[0], 0, "ticket"));
    if (!user) {
        logWarning("access", "login by ticket failed");
        audit({.operation = "login failed", .detail = "by ticket"});
        throw UserError("The ticket is not valid, or no longer.", "Log in with a password.");
    }
    requireUnlocked(context, *user);
    logInfo("access", "login by ticket", {{"user", *user}});
    audit({.operation = "login", .user = *user, .detail = "by ticket"});
    logIn(context, *user);
    return Value::ofBool(true);
}

// Only an id that nobody can guess opens a session, and only from the machine that it belongs to.
Value authenticateBySession(Context& context, Arguments arguments) {
    auto& sessions = requireService<SessionRegistry>(context, "Sessions");
    const Value& v = arguments[0];
    const int64_t id = v.isString() && !v.isNull()   ? std::atoll(std::string(v.string()).c_str())
                       : v.isNumber() && !v.isNull() ? v.asLong()
                                                     : 0;
    const SessionStatus other = sessions.status(id);
    const SessionStatus own = sessions.status(context.request->sessionId);
    if (id == 0 || !other.opensById || other.remoteHost != own.remoteHost || other.userId == "guest")
        throw UserError("There is no session that this id opens.", "Log in with a password.");
    requireUnlocked(context, other.userId);
    audit({.operation = "login", .user = other.userId, .detail = "by session"});
    logIn(context, other.userId);
    return Value::ofBool(true);
}

}  // namespace

void registerUserBuiltins(FunctionRegistry& registry) {
    const FunctionTheme theme("users and security");
    {
        const FunctionFamily family(registry, Facet::Admin, Effect::Writes);
        registry.add(
            "createUser(userId, password, [groupIds], [isAdmin=false], [authMode])", createUser,
            {.summary = "Makes a user, who has no rights but those of the groups.",
             .parameters = "userId: a STRING of at most 30 letters, digits, _ and -, that begins with a letter\n"
                           "password: a STRING of 6 to 64 bytes without blanks\n"
                           "groupIds: a STRING or several: groups that exist\n"
                           "isAdmin: whether the user manages users and settings; data only by grant\n"
                           "authMode: \"sha256\" or nothing; \"scram\" is refused",
             .errors = "A user or group of that name exists; a group does not exist.",
             .example = "createUser(\"eva\", \"secret-78\", \"desk\")"});
        registry.add(
            "deleteUser(userId)", deleteUser,
            {.summary = "Deletes a user with all the rights of this user. Sessions of the user are refused from "
                        "their next request on, and jobs that wait fail.",
             .errors = "There is no such user; the user is admin.",
             .example = "deleteUser(\"eva\")"});
        registry.add("resetPwd(userId, newPwd)", resetPassword,
                     {.summary = "Gives a user a new password, which voids the user's tickets.",
                      .parameters = "newPwd: a STRING of 6 to 64 bytes without blanks",
                      .errors = "There is no such user; another user asks for the password of admin.",
                      .example = "resetPwd(\"ann\", \"secret-12\")"});
        registry.add("createGroup(groupId, [userIds])", createGroup,
                     {.summary = "Makes a group of users, whose members share its rights.",
                      .parameters = "groupId: as userId of createUser\nuserIds: a STRING or several: the members",
                      .errors = "A user or group of that name exists; a user does not exist.",
                      .example = "createGroup(\"research\", `ann`bob)"});
        registry.add("deleteGroup(groupName)", deleteGroup,
                     {.summary = "Deletes a group with its rights; the members stay users.",
                      .errors = "There is no such group.",
                      .example = "deleteGroup(\"research\")"});
        registry.add("addGroupMember(userIds, groupIds)", addGroupMember,
                     {.summary = "Adds users to a group, or a user to groups.",
                      .parameters = "userIds, groupIds: a STRING or several, but not several of both",
                      .errors = "A user or a group does not exist; nothing was changed then.",
                      .example = "addGroupMember(`ann`eva, \"desk\")\n"
                                 "addGroupMember(\"bob\", `desk`research)"});
        registry.add("deleteGroupMember(userIds, groupIds)", deleteGroupMember,
                     {.summary = "Removes users from a group, or a user from groups.",
                      .parameters = "userIds, groupIds: a STRING or several, but not several of both",
                      .errors = "A user is not in a group; nothing was changed then.",
                      .example = "deleteGroupMember(\"eva\", \"desk\")"});
        registry.add(
            "lockUser(userId)", lockUser,
            {.summary = "Locks a user out at the next login, until unlockUser. Kept by this node, until it ends.",
             .errors = "There is no such user; enhancedSecurityVerification is not set.",
             .example = "lockUser(\"ann\")"});
        registry.add("unlockUser(userId)", unlockUser,
                     {.summary = "Ends the lock of a user and the waiting times after wrong logins.",
                      .errors = "The user is not locked; enhancedSecurityVerification is not set.",
                      .example = "unlockUser(\"ann\")"});
        registry.add(
            "setSessionExpiredTime(expire)", setSessionTime,
            {.summary = "Sets how long a session of the JSON interface may be idle, on this node until it ends.",
             .parameters = "expire: a DURATION of seconds, minutes, hours or days",
             .errors = "It is no DURATION, or beyond 30 days.",
             .example = "setSessionExpiredTime(3600s)"});
        registry.add("generateUserTicket(userName, expire)", ticketOf,
                     {.summary = "Returns a ticket by which its holder logs in as the user with authenticateByTicket.",
                      .parameters = "expire: a DATETIME in local time, from which on the ticket is void",
                      .errors = "There is no such user; expire is in the past.",
                      .example = "generateUserTicket(\"ann\", datetime(now() + 8H))"});
    }
    {
        const FunctionFamily family(registry, Facet::Admin, Effect::Stable);
        registry.add("getUserList()", userList,
                     {.summary = "The names of all users but admin, as a STRING vector.", .example = "getUserList()"});
        registry.add("getGroupList()", groupList,
                     {.summary = "The names of all groups, as a STRING vector.", .example = "getGroupList()"});
        registry.add("getUsersByGroupId(groupId)", usersByGroup,
                     {.summary = "The names of the members of a group, as a STRING vector.",
                      .errors = "There is no such group.",
                      .example = "getUsersByGroupId(\"desk\")"});
        registry.add("getGroupsByUserId(userId)", groupsByUser,
                     {.summary = "The names of the groups of a user, as a STRING vector.",
                      .errors = "There is no such user.",
                      .example = "getGroupsByUserId(\"ann\")"});
        registry.add("getUserLockedStatus()", lockedStatus,
                     {.summary = "A table of the locked users of this node: user, IP (* for all), lockTime, unlockTime "
                                 "(NULL: until unlockUser).",
                      .errors = "enhancedSecurityVerification is not set.",
                      .example = "getUserLockedStatus()"});
        registry.add(
            "getUserPasswordStatus([user])", passwordStatus,
            {.summary = "A table of users with the time (UTC) when the password was set, NULL as the time when it "
                        "expires, since passwords do not, and the way of its check.",
             .parameters = "user: a STRING; without it all users but admin",
             .errors = "There is no such user.",
             .example = "getUserPasswordStatus(\"ann\")"});
    }
    const FunctionFamily family(registry, Facet::Public, Effect::Stable);
    registry.add("getAuthenticatedUsers()", authenticatedUsers,
                 {.summary = "The names of the users who are logged in to this node, as a STRING vector.",
                  .example = "getAuthenticatedUsers()"});
    registry.add("getSessionExpiredTime()", sessionTime,
                 {.summary = "How long a session of the JSON interface may be idle, as DURATION.",
                  .example = "getSessionExpiredTime()"});
    registry.add(
        "getAuthenticatedUserTicket([expire])", ownTicket,
        {.summary = "Returns a ticket by which its holder logs in as the user of this session. It is void after a "
                    "change of the password.",
         .parameters = "expire: a DATETIME in local time; a day from now without it",
         .errors = "The session is a guest's; expire is in the past.",
         .example = "ticket = getAuthenticatedUserTicket()"},
        {.effect = Effect::Writes});
    registry.add("authenticateByTicket(ticket)", authenticateByTicket,
                 {.summary = "Makes the session that of the user of a ticket; true when it worked.",
                  .errors = "The ticket is not valid, has expired, or the password was changed since.",
                  .example = "authenticateByTicket(ticket)"},
                 {.effect = Effect::Writes, .facet = Facet::Open});
    registry.add(
        "authenticateBySession(sessionId)", authenticateBySession,
        {.summary = "Makes the session that of the user of another session of the JSON interface, whose id the "
                    "client knows; true when it worked.",
         .parameters = "sessionId: a STRING or LONG",
         .errors = "There is no such session of a client at the same address.",
         .example = "authenticateBySession(\"1166953221\")"},
        {.effect = Effect::Writes, .facet = Facet::Open});
}

}  // namespace pelorus
