#include "server/postgres/session_settings.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "common/check.h"
#include "common/error.h"
#include "common/time/time_zone.h"
#include "postgres/sql_error.h"

namespace pelorus::postgres {
namespace {

constexpr size_t kMaxOwnSettings = 1000;
constexpr size_t kMaxValueBytes = 64 << 10;

// clang-format off
constexpr SettingFacts kSettings[] = {
    {"application_name", "", SettingKind::String, "", true, "Name of the client's program."},
    {"array_nulls", "on", SettingKind::Bool},
    {"backend_flush_after", "0", SettingKind::Integer},
    {"backslash_quote", "safe_encoding", SettingKind::Word, "safe_encoding on off"},
    {"block_size", "8192", SettingKind::ReadOnly},
    {"bytea_output", "hex", SettingKind::Word, "hex escape", false, "Form of bytea in text."},
    {"check_function_bodies", "on", SettingKind::Bool},
    {"client_encoding", "UTF8", SettingKind::Encoding, "", true, "Encoding of texts: UTF8 alone."},
    {"client_min_messages", "notice", SettingKind::Word, "debug5 debug4 debug3 debug2 debug1 debug log notice warning error", false, "Least severity of notices."},
    {"constraint_exclusion", "partition", SettingKind::Word, "partition on off"},
    {"cpu_index_tuple_cost", "0.005", SettingKind::Real},
    {"cpu_operator_cost", "0.0025", SettingKind::Real},
    {"cpu_tuple_cost", "0.01", SettingKind::Real},
    {"cursor_tuple_fraction", "0.1", SettingKind::Real},
    {"data_checksums", "on", SettingKind::ReadOnly},
    {"DateStyle", "ISO, MDY", SettingKind::DateStyle, "", true, "Form of dates: ISO."},
    {"deadlock_timeout", "1s", SettingKind::Millis},
    {"default_statistics_target", "100", SettingKind::Integer},
    {"default_table_access_method", "columns", SettingKind::String},
    {"default_tablespace", "", SettingKind::String},
    {"default_text_search_config", "pg_catalog.simple", SettingKind::String},
    {"default_transaction_deferrable", "off", SettingKind::Bool},
    {"default_transaction_isolation", "read committed", SettingKind::Word, "read_committed repeatable_read read_uncommitted", false, "Isolation of transactions to come."},
    {"default_transaction_read_only", "off", SettingKind::Bool, "", true, "Whether transactions to come only read."},
    {"effective_cache_size", "4GB", SettingKind::String},
    {"enable_bitmapscan", "on", SettingKind::Bool},
    {"enable_hashagg", "on", SettingKind::Bool},
    {"enable_hashjoin", "on", SettingKind::Bool},
    {"enable_indexonlyscan", "on", SettingKind::Bool},
    {"enable_indexscan", "on", SettingKind::Bool},
    {"enable_material", "on", SettingKind::Bool},
    {"enable_memoize", "on", SettingKind::Bool},
    {"enable_mergejoin", "on", SettingKind::Bool},
    {"enable_nestloop", "on", SettingKind::Bool},
    {"enable_parallel_append", "on", SettingKind::Bool},
    {"enable_parallel_hash", "on", SettingKind::Bool},
    {"enable_partition_pruning", "on", SettingKind::Bool},
    {"enable_partitionwise_aggregate", "off", SettingKind::Bool},
    {"enable_partitionwise_join", "off", SettingKind::Bool},
    {"enable_seqscan", "on", SettingKind::Bool},
    {"enable_sort", "on", SettingKind::Bool},
    {"enable_tidscan", "on", SettingKind::Bool},
    {"escape_string_warning", "on", SettingKind::Bool},
    {"extra_float_digits", "1", SettingKind::Integer, "", false, "Digits of floating-point numbers; above 0 as many as are needed."},
    {"force_parallel_mode", "off", SettingKind::Word, "off on regress"},
    {"from_collapse_limit", "8", SettingKind::Integer},
    {"geqo", "on", SettingKind::Bool},
    {"geqo_threshold", "12", SettingKind::Integer},
    {"gin_fuzzy_search_limit", "0", SettingKind::Integer},
    {"hash_mem_multiplier", "2", SettingKind::Real},
    {"idle_in_transaction_session_timeout", "0", SettingKind::Millis, "", false, "Time after which an idle transaction ends its session."},
    {"idle_session_timeout", "0", SettingKind::Millis, "", false, "Time after which an idle session ends."},
    {"in_hot_standby", "off", SettingKind::ReadOnly, "", true},
    {"integer_datetimes", "on", SettingKind::ReadOnly, "", true},
    {"IntervalStyle", "postgres", SettingKind::Fixed, "", true, "Form of intervals."},
    {"is_superuser", "off", SettingKind::ReadOnly, "", true},
    {"jit", "off", SettingKind::Bool},
    {"join_collapse_limit", "8", SettingKind::Integer},
    {"lc_collate", "C", SettingKind::ReadOnly, "", false, "Order of texts: by their bytes."},
    {"lc_ctype", "C.UTF-8", SettingKind::ReadOnly},
    {"lc_messages", "C", SettingKind::String},
    {"lc_monetary", "C", SettingKind::String},
    {"lc_numeric", "C", SettingKind::String},
    {"lc_time", "C", SettingKind::String},
    {"lo_compat_privileges", "off", SettingKind::Bool},
    {"lock_timeout", "0", SettingKind::Millis},
    {"log_duration", "off", SettingKind::Bool},
    {"log_min_duration_statement", "-1", SettingKind::Integer},
    {"log_min_messages", "warning", SettingKind::String},
    {"log_statement", "none", SettingKind::Word, "none ddl mod all"},
    {"maintenance_work_mem", "64MB", SettingKind::String},
    {"max_connections", "100", SettingKind::ReadOnly},
    {"max_identifier_length", "63", SettingKind::ReadOnly},
    {"max_index_keys", "32", SettingKind::ReadOnly},
    {"max_parallel_workers", "8", SettingKind::Integer},
    {"max_parallel_workers_per_gather", "2", SettingKind::Integer},
    {"max_prepared_transactions", "0", SettingKind::ReadOnly},
    {"max_stack_depth", "2MB", SettingKind::String},
    {"parallel_leader_participation", "on", SettingKind::Bool},
    {"parallel_setup_cost", "1000", SettingKind::Real},
    {"parallel_tuple_cost", "0.1", SettingKind::Real},
    {"password_encryption", "scram-sha-256", SettingKind::Fixed},
    {"plan_cache_mode", "auto", SettingKind::Word, "auto force_generic_plan force_custom_plan"},
    {"quote_all_identifiers", "off", SettingKind::Bool},
    {"random_page_cost", "4", SettingKind::Real},
    {"role", "none", SettingKind::Fixed},
    {"row_security", "on", SettingKind::Bool},
    {"search_path", "\"$user\", public", SettingKind::String, "", false, "Schemas in which names are looked up."},
    {"seq_page_cost", "1", SettingKind::Real},
    {"server_encoding", "UTF8", SettingKind::ReadOnly, "", true},
    {"server_version", "15.0", SettingKind::ReadOnly, "", true, "Version of PostgreSQL whose behaviour clients meet."},
    {"server_version_num", "150000", SettingKind::ReadOnly},
    {"session_authorization", "", SettingKind::ReadOnly, "", true},
    {"session_replication_role", "origin", SettingKind::Word, "origin replica local"},
    {"standard_conforming_strings", "on", SettingKind::Fixed, "", true, "Backslashes in strings are plain characters."},
    {"statement_timeout", "0", SettingKind::Millis, "", false, "Time after which a statement is cancelled."},
    {"synchronize_seqscans", "on", SettingKind::Bool},
    {"synchronous_commit", "on", SettingKind::Word, "on off local remote_write remote_apply"},
    {"tcp_keepalives_count", "0", SettingKind::Integer},
    {"tcp_keepalives_idle", "0", SettingKind::Integer},
    {"tcp_keepalives_interval", "0", SettingKind::Integer},
    {"tcp_user_timeout", "0", SettingKind::Millis},
    {"temp_buffers", "8MB", SettingKind::String},
    {"temp_file_limit", "-1", SettingKind::Integer},
    {"temp_tablespaces", "", SettingKind::String},
    {"TimeZone", "UTC", SettingKind::TimeZone, "", true, "Zone in which timestamps with time zone are shown."},
    {"timezone_abbreviations", "Default", SettingKind::String},
    {"track_activities", "on", SettingKind::Bool},
    {"track_counts", "on", SettingKind::Bool},
    {"track_functions", "none", SettingKind::Word, "none pl all"},
    {"track_io_timing", "off", SettingKind::Bool},
    {"transaction_deferrable", "off", SettingKind::Bool},
    {"transaction_isolation", "read committed", SettingKind::Word, "read_committed repeatable_read read_uncommitted"},
    {"transaction_read_only", "off", SettingKind::Bool},
    {"transform_null_equals", "off", SettingKind::Fixed},
    {"wal_level", "replica", SettingKind::ReadOnly},
    {"work_mem", "4MB", SettingKind::String},
    {"xmlbinary", "base64", SettingKind::Word, "base64 hex"},
    {"xmloption", "content", SettingKind::Word, "content document"},
};
// clang-format on

char lower(char c) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

std::string lowered(std::string_view name) {
    std::string result(name);
    std::transform(result.begin(), result.end(), result.begin(), lower);
    return result;
}

bool isSame(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return lower(x) == lower(y); });
}

const SettingFacts* findFacts(std::string_view name) {
    // `set time zone` and two older names.
    if (isSame(name, "time zone")) name = "TimeZone";
    if (isSame(name, "transaction isolation level")) name = "transaction_isolation";
    for (const SettingFacts& facts : kSettings)
        if (isSame(facts.name, name)) return &facts;
    return nullptr;
}

// Names of two parts belong to whoever makes them up.
bool isOwnName(std::string_view name) {
    const size_t dot = name.find('.');
    return dot != std::string_view::npos && dot > 0 && dot + 1 < name.size();
}

[[noreturn]] void refuseName(std::string_view name) {
    throw SqlError(sql_state::kUndefinedObject, "unrecognized configuration parameter \"" + std::string(name) + "\"");
}

[[noreturn]] void refuseValue(std::string_view name, std::string_view value, std::string hint = "") {
    throw SqlError(sql_state::kInvalidParameter,
                   "invalid value for parameter \"" + std::string(name) + "\": \"" + std::string(value) + "\"", -1,
                   std::move(hint));
}

std::string checkedBool(std::string_view name, std::string_view value) {
    const std::string word = lowered(value);
    const auto begins = [&](std::string_view whole, size_t least) {
        return word.size() >= least && whole.starts_with(word);
    };
    if (word == "1" || word == "on" || begins("true", 1) || begins("yes", 1)) return "on";
    if (word == "0" || begins("off", 2) || begins("false", 1) || begins("no", 1)) return "off";
    throw SqlError(sql_state::kInvalidParameter, "parameter \"" + std::string(name) + "\" requires a Boolean value");
}

template <class T>
bool isNumber(std::string_view value) {
    T x{};
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), x);
    return error == std::errc() && end == value.data() + value.size();
}

std::string checkedWord(const SettingFacts& facts, std::string_view value) {
    std::string word = lowered(value);
    std::replace(word.begin(), word.end(), ' ', '_');
    for (std::string_view words = facts.words; !words.empty();) {
        const std::string_view one = words.substr(0, words.find(' '));
        words.remove_prefix(std::min(words.size(), one.size() + 1));
        if (one != word) continue;
        std::string known(one);
        if (facts.name.ends_with("isolation")) std::replace(known.begin(), known.end(), '_', ' ');
        return known;
    }
    if (word == "serializable") {
        throw SqlError(sql_state::kFeatureNotSupported, "serializable transactions are not supported", -1,
                       "Use repeatable read.");
    }
    refuseValue(facts.name, value, "Available values: " + std::string(facts.words) + ".");
}

std::string checkedDateStyle(std::string_view value) {
    std::string order = "MDY", word;
    bool isKnown = true;
    const auto take = [&] {
        if (isSame(word, "mdy") || isSame(word, "us") || isSame(word, "noneuro")) {
            order = "MDY";
        } else if (isSame(word, "dmy") || isSame(word, "euro") || isSame(word, "european")) {
            order = "DMY";
        } else if (isSame(word, "ymd")) {
            order = "YMD";
        } else {
            isKnown = isKnown && (word.empty() || isSame(word, "iso") || isSame(word, "default"));
        }
        word.clear();
    };
    for (const char c : value) {
        if (c == ',' || c == ' ') {
            take();
        } else {
            word += c;
        }
    }
    take();
    if (!isKnown) refuseValue("DateStyle", value, "Dates are shown as ISO alone.");
    return "ISO, " + order;
}

// Names of encodings are compared by their letters and digits.
std::string checkedEncoding(std::string_view value) {
    std::string name;
    for (const char c : value)
        if (std::isalnum(static_cast<unsigned char>(c))) name += lower(c);
    if (name != "utf8" && name != "unicode") refuseValue("client_encoding", value, "Texts are UTF8 alone.");
    return "UTF8";
}

// Returns the POSIX string of a zone that is so many hours ahead of UTC; nullopt where the value is no number of them.
std::optional<std::string> zoneOfHours(std::string_view value) {
    const std::string digits(value.substr(std::min(value.find_first_not_of(' '), value.size())));
    char* end = nullptr;
    const double hours = std::strtod(digits.c_str(), &end);
    const bool isNumber =
        !digits.empty() && digits.find_first_not_of("+-.0123456789") == std::string::npos && *end == 0;
    if (!isNumber || std::abs(hours) > 24) return {};
    const auto seconds = static_cast<int64_t>(std::llround(hours * 3600));
    const int64_t size = std::abs(seconds);
    std::string clock = fmt::format("{:02}", size / 3600);
    if (size % 3600 != 0) clock += fmt::format(":{:02}", size / 60 % 60);
    if (size % 60 != 0) clock += fmt::format(":{:02}", size % 60);
    return fmt::format("<{0}{2}>{1}{2}", seconds < 0 ? '-' : '+', seconds < 0 ? '+' : '-', clock);
}

std::string checkedTimeZone(std::string_view value) {
    if (isSame(value, "utc") || isSame(value, "gmt") || isSame(value, "z") || isSame(value, "etc/utc") ||
        isSame(value, "default") || isSame(value, "local"))
        return "UTC";
    if (const std::optional<std::string> zone = zoneOfHours(value)) return *zone;
    try {
        zoneOfSetting(std::string(value));
    } catch (const Error&) {
        refuseValue("TimeZone", value, "Give the name of a zone, such as Europe/Berlin, or hours ahead of UTC.");
    }
    return std::string(value);
}

std::string checked(const SettingFacts& facts, std::string_view value) {
    switch (facts.kind) {
        case SettingKind::Bool:
            return checkedBool(facts.name, value);
        case SettingKind::Integer:
            if (!isNumber<int64_t>(value)) refuseValue(facts.name, value);
            return std::string(value);
        case SettingKind::Real:
            if (!isNumber<double>(value)) refuseValue(facts.name, value);
            return std::string(value);
        case SettingKind::Millis:
            parseMillis(facts.name, value);
            return std::string(value);
        case SettingKind::Word:
            return checkedWord(facts, value);
        case SettingKind::Encoding:
            return checkedEncoding(value);
        case SettingKind::DateStyle:
            return checkedDateStyle(value);
        case SettingKind::TimeZone:
            return checkedTimeZone(value);
        case SettingKind::Fixed:
            if (!isSame(value, facts.initial) && !(facts.initial == "on" && checkedBool(facts.name, value) == "on") &&
                !(facts.initial == "off" && checkedBool(facts.name, value) == "off"))
                refuseValue(facts.name, value, "It is always " + std::string(facts.initial) + ".");
            return std::string(facts.initial);
        case SettingKind::ReadOnly:
            throw SqlError("55P02", "parameter \"" + std::string(facts.name) + "\" cannot be changed");
        case SettingKind::String:
            break;
    }
    return std::string(value);
}

}  // namespace

std::shared_ptr<const TimeZone> zoneOfSetting(const std::string& value) {
    if (value == "UTC") return nullptr;
    const std::shared_ptr<const TimeZone> fixed = TimeZone::ofOffset(value);
    return fixed ? fixed : TimeZone::find(value);
}

std::span<const SettingFacts> allSettings() {
    return kSettings;
}

void applyOptions(SessionSettings& settings, std::string_view options) {
    std::vector<std::string> words(1);
    for (size_t i = 0; i < options.size(); ++i) {
        if (options[i] == '\\' && i + 1 < options.size()) {
            words.back() += options[++i];
        } else if (options[i] != ' ') {
            words.back() += options[i];
        } else if (!words.back().empty()) {
            words.emplace_back();
        }
    }
    if (words.back().empty()) words.pop_back();
    for (size_t i = 0; i < words.size(); ++i) {
        std::string_view word = words[i];
        if (word == "-c" && i + 1 < words.size()) {
            word = words[++i];
        } else if (word.starts_with("--") || word.starts_with("-c")) {
            word.remove_prefix(2);
        } else {
            throw SqlError(sql_state::kSyntaxError, "invalid option of the startup message: \"" + words[i] + "\"");
        }
        const size_t equals = word.find('=');
        if (equals == std::string_view::npos)
            throw SqlError(sql_state::kSyntaxError, "option \"" + words[i] + "\" requires a value");
        std::string name(word.substr(0, equals));
        std::replace(name.begin(), name.end(), '-', '_');
        settings.set(name, word.substr(equals + 1));
    }
}

int64_t parseMillis(std::string_view name, std::string_view value) {
    double number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc()) refuseValue(name, value);
    std::string_view unit = value.substr(static_cast<size_t>(end - value.data()));
    while (unit.starts_with(' ')) unit.remove_prefix(1);
    const double factor = unit.empty() || unit == "ms" ? 1
                          : unit == "us"               ? 0.001
                          : unit == "s"                ? 1000
                          : unit == "min"              ? 60'000
                          : unit == "h"                ? 3'600'000
                          : unit == "d"                ? 86'400'000
                                                       : -1;
    if (factor < 0)
        refuseValue(name, value,
                    "Valid units for this parameter are \"us\", \"ms\", \"s\", \"min\", \"h\", and \"d\".");
    const double millis = std::round(number * factor);
    if (!(millis >= 0 && millis <= INT32_MAX)) {
        throw SqlError(sql_state::kInvalidParameter, std::string(value) +
                                                         " is outside the valid range for parameter \"" +
                                                         std::string(name) + "\" (0 .. 2147483647)");
    }
    return static_cast<int64_t>(millis);
}

const std::string* SessionSettings::find(std::string_view name) const {
    for (const Values* values : {&now_.local, &now_.session, &initial_})
        if (const auto it = values->find(name); it != values->end()) return &it->second;
    return nullptr;
}

std::string SessionSettings::shownName(std::string_view name) {
    const SettingFacts* facts = findFacts(name);
    return facts ? std::string(facts->name) : lowered(name);
}

std::string SessionSettings::get(std::string_view name) const {
    const SettingFacts* facts = findFacts(name);
    const std::string key = facts ? std::string(facts->name) : lowered(name);
    if (const std::string* value = find(key)) return *value;
    if (!facts) refuseName(name);
    // A block sets these when it begins; a statement without one has those of transactions to come.
    if (key.starts_with("transaction_")) return get("default_" + key);
    return std::string(facts->initial);
}

void SessionSettings::set(std::string_view name, std::string_view value, bool isLocal) {
    const SettingFacts* facts = findFacts(name);
    if (!facts && !isOwnName(name)) refuseName(name);
    if (value.size() > kMaxValueBytes) refuseValue(name, "…", "A value has at most 64 KB.");
    const std::string key = facts ? std::string(facts->name) : lowered(name);
    std::string known = facts ? checked(*facts, value) : std::string(value);
    if (isLocal && kept_.empty()) return;  // ends with its statement
    mayDiffer_ = true;
    Values& values = isLocal ? now_.local : now_.session;
    if (!values.contains(key) && values.size() >= kMaxOwnSettings)
        throw SqlError(sql_state::kProgramLimit, "a session has at most 1000 settings");
    values[key] = std::move(known);
    if (!isLocal) now_.local.erase(key);
}

void SessionSettings::reset(std::string_view name) {
    const SettingFacts* facts = findFacts(name);
    if (!facts && !isOwnName(name)) refuseName(name);
    const std::string key = facts ? std::string(facts->name) : lowered(name);
    now_.session.erase(key);
    now_.local.erase(key);
    mayDiffer_ = true;
}

void SessionSettings::resetAll() {
    mayDiffer_ = true;
    now_ = {};
}

void SessionSettings::keepAsInitial() {
    for (auto& [name, value] : now_.session) initial_[name] = std::move(value);
    now_ = {};
}

void SessionSettings::begin() {
    CHECK(kept_.empty()) << "a session has one transaction at a time";
    kept_.push_back(now_);
}

void SessionSettings::commit() {
    mayDiffer_ = true;
    kept_.clear();
    now_.local.clear();
    // Those of one transaction do not outlive it, however they were set.
    for (const std::string_view name : {"transaction_isolation", "transaction_read_only", "transaction_deferrable"})
        now_.session.erase(std::string(name));
}

void SessionSettings::rollback() {
    if (!kept_.empty()) now_ = std::move(kept_.front());
    commit();
}

void SessionSettings::savepoint() {
    CHECK(!kept_.empty()) << "a savepoint is part of a transaction";
    kept_.push_back(now_);
}

void SessionSettings::release(size_t depth) {
    CHECK(depth + 1 < kept_.size()) << "the savepoint is there";
    kept_.resize(depth + 1);
}

void SessionSettings::rollbackTo(size_t depth) {
    CHECK(depth + 1 < kept_.size()) << "the savepoint is there";
    mayDiffer_ = true;
    now_ = kept_[depth + 1];
    kept_.resize(depth + 2);
}

std::vector<std::pair<std::string, std::string>> SessionSettings::takeReports() {
    std::vector<std::pair<std::string, std::string>> reports;
    if (!std::exchange(mayDiffer_, false)) return reports;
    for (const SettingFacts& facts : kSettings) {
        if (!facts.isReported) continue;
        std::string value = get(facts.name);
        const auto it = reported_.find(facts.name);
        if (it != reported_.end() && it->second == value) continue;
        reported_[std::string(facts.name)] = value;
        reports.emplace_back(facts.name, std::move(value));
    }
    return reports;
}

int64_t SessionSettings::millis(std::string_view name) const {
    return parseMillis(name, get(name));
}

std::vector<std::string> SessionSettings::searchPath() const {
    std::vector<std::string> path;
    const std::string list = get("search_path");
    std::string one;
    bool isQuoted = false, wasQuoted = false;
    const auto take = [&] {
        if (!one.empty() || wasQuoted) path.push_back(one);
        one.clear();
        wasQuoted = false;
    };
    for (size_t i = 0; i < list.size(); ++i) {
        const char c = list[i];
        if (c == '"') {
            if (isQuoted && i + 1 < list.size() && list[i + 1] == '"') {
                one += list[++i];
                continue;
            }
            isQuoted = !isQuoted;
            wasQuoted = true;
        } else if (isQuoted) {
            one += c;
        } else if (c == ',') {
            take();
        } else if (c != ' ') {
            one += lower(c);
        }
    }
    take();
    return path;
}

}  // namespace pelorus::postgres
