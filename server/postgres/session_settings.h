// SessionSettings holds what `set` changes in a session of PostgreSQL's protocol, and takes back what a transaction set
// when it rolls back.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pelorus {
class TimeZone;
}

namespace pelorus::postgres {

// The kinds of values that a setting takes.
enum class SettingKind : uint8_t {
    String,
    Bool,  // on and off, by any of PostgreSQL's words
    Integer,
    Real,
    Millis,     // an integer of milliseconds, or with a unit: 5s, 10min
    Word,       // one of a list
    Encoding,   // UTF8
    DateStyle,  // ISO, in any order of day and month
    TimeZone,
    Fixed,     // takes its own value alone
    ReadOnly,  // cannot be set
};

// A known setting.
struct SettingFacts {
    std::string_view name;  // as shown; names are found whatever their case
    std::string_view initial;
    SettingKind kind = SettingKind::String;
    std::string_view words = {};  // of Word, separated by blanks
    bool isReported = false;      // clients are told about changes (ParameterStatus)
    std::string_view summary = {};
};

// All of them, in the order of their names.
std::span<const SettingFacts> allSettings();

// Returns the zone that a value of TimeZone names; nullptr for UTC. Throws Error where there is none.
std::shared_ptr<const TimeZone> zoneOfSetting(const std::string& value);

// The settings of one session. The thread of its connection owns it.
class SessionSettings {
public:
    // Returns the value in force. Throws SqlError 42704 for an unknown name.
    std::string get(std::string_view name) const;
    // Returns a name as it is shown.
    static std::string shownName(std::string_view name);
    // Changes a value until the session ends, or the transaction with `isLocal`. Throws SqlError 42704, 22023 or 55P02
    // and changes nothing.
    void set(std::string_view name, std::string_view value, bool isLocal = false);
    // Sets the value that the session began with.
    void reset(std::string_view name);
    void resetAll();
    // Sets what clients cannot, before the session begins.
    void tell(std::string_view name, std::string value) { initial_[std::string(name)] = std::move(value); }
    // Makes the present values those that `reset` returns to: after the startup message.
    void keepAsInitial();

    // A transaction begins; it is kept, or taken back with all that it set.
    void begin();
    void commit();
    void rollback();
    // The number of savepoints is that of the transaction.
    void savepoint();
    void release(size_t depth);
    void rollbackTo(size_t depth);

    // Returns names and values of those that clients must be told about, which changed since the last call.
    std::vector<std::pair<std::string, std::string>> takeReports();

    // Values in force that the connection itself needs at each row.
    int64_t millis(std::string_view name) const;
    bool isOn(std::string_view name) const { return get(name) == "on"; }
    // The parts of search_path, without quotes.
    std::vector<std::string> searchPath() const;

private:
    using Values = std::map<std::string, std::string, std::less<>>;
    struct Layers {
        Values session, local;
    };
    const std::string* find(std::string_view name) const;

    Values initial_;  // what the startup message gave
    Layers now_;
    std::vector<Layers> kept_;  // as they were at the begin of the transaction, and at each savepoint
    Values reported_;
    bool mayDiffer_ = true;  // from what was reported
};

// Applies the options of a startup message: "-c name=value --name=value". Throws SqlError 42601 for others.
void applyOptions(SessionSettings& settings, std::string_view options);

// Parses an amount of time in milliseconds: a number, or one with us, ms, s, min, h or d. Throws SqlError 22023.
int64_t parseMillis(std::string_view name, std::string_view value);

}  // namespace pelorus::postgres
