// Writes the log of the process, for the operators of a server.
//
//   logInfo("storage", "recovered", {{"chunks", count}, {"millis", millis}});
//   2026-11-24T18:00:00.123456 INFO storage - recovered chunks=12 millis=35
//
// A line has time (local, microseconds), level, area, session, message and key=value pairs; with LogFormat::Json it is
// one JSON object with the same keys. It goes to stderr or to a file, which is rotated: at `rotateBytes` it becomes
// FILE.1, and the oldest of `keptFiles` is removed.
//
// Thread-safe. Below the level a call costs one relaxed load; pairs are views, nothing is allocated for them. Each call
// site writes at most kLinesPerSecond lines a second: its next line says how many were dropped. Nothing here throws: a
// log that cannot be written (disk full) drops lines, and says so on stderr once.
#pragma once

#include <atomic>
#include <cstdint>
#include <initializer_list>
#include <source_location>
#include <string>
#include <string_view>
#include <type_traits>

namespace pelorus {

// The importance of a line, ascending.
enum class LogLevel : uint8_t { Debug, Info, Warning, Error, Off };
enum class LogFormat : uint8_t { Text, Json };

// Parses "debug", "info", "warning", "error" or "off". Throws UserError for another name.
LogLevel logLevelOf(std::string_view name);

// A key=value pair. Keys and strings must live until the call returns.
class LogField {
public:
    LogField(std::string_view key, std::string_view string) : key_(key), string_(string) {}
    LogField(std::string_view key, const std::string& string) : key_(key), string_(string) {}
    LogField(std::string_view key, const char* string) : key_(key), string_(string) {}
    template <class T>
    requires std::is_arithmetic_v<T> LogField(std::string_view key, T number) : key_(key) {
        if constexpr (std::is_same_v<T, bool>) {
            kind_ = Kind::Bool;
            integer_ = number;
        } else if constexpr (std::is_integral_v<T>) {
            kind_ = Kind::Integer;
            integer_ = static_cast<int64_t>(number);
        } else {
            kind_ = Kind::Real;
            real_ = number;
        }
    }

    void appendString(std::string& line) const;
    void appendJson(std::string& line) const;

private:
    enum class Kind : uint8_t { Text, Bool, Integer, Real };

    std::string_view key_;
    std::string_view string_;
    Kind kind_ = Kind::Text;
    int64_t integer_ = 0;
    double real_ = 0;
};

using LogFields = std::initializer_list<LogField>;

// The level, format and destination of the log.
struct LogOptions {
    LogLevel level = LogLevel::Info;
    LogFormat format = LogFormat::Text;
    std::string file;  // empty: stderr
    int64_t rotateBytes = int64_t{64} << 20;
    int keptFiles = 5;  // FILE.1 … FILE.5, in addition to FILE
};

constexpr int kLinesPerSecond = 20;

// Sets the destination of all later lines. Until it is called, warnings and errors go to stderr, so that a console
// stays quiet. Throws SystemError when the file cannot be opened; then nothing has changed.
void configureLog(const LogOptions& options);
// Returns the file of the log; empty when lines go to stderr.
std::string logFile();
// The minimum level of written lines, and whether lines of a level are written.
inline std::atomic<LogLevel> minLogLevel{LogLevel::Warning};
inline bool isLogged(LogLevel level) {
    return level >= minLogLevel.load(std::memory_order_relaxed);
}
// Returns after all logged lines were handed to the operating system.
void flushLog() noexcept;

void writeLogLine(LogLevel level, std::string_view area, std::string_view string, LogFields fields,
                  const std::source_location& place) noexcept;

inline void logDebug(std::string_view area, std::string_view string, LogFields fields = {},
                     const std::source_location& place = std::source_location::current()) noexcept {
    if (isLogged(LogLevel::Debug)) writeLogLine(LogLevel::Debug, area, string, fields, place);
}
inline void logInfo(std::string_view area, std::string_view string, LogFields fields = {},
                    const std::source_location& place = std::source_location::current()) noexcept {
    if (isLogged(LogLevel::Info)) writeLogLine(LogLevel::Info, area, string, fields, place);
}
inline void logWarning(std::string_view area, std::string_view string, LogFields fields = {},
                       const std::source_location& place = std::source_location::current()) noexcept {
    if (isLogged(LogLevel::Warning)) writeLogLine(LogLevel::Warning, area, string, fields, place);
}
inline void logError(std::string_view area, std::string_view string, LogFields fields = {},
                     const std::source_location& place = std::source_location::current()) noexcept {
    if (isLogged(LogLevel::Error)) writeLogLine(LogLevel::Error, area, string, fields, place);
}

// Scope in which the lines of this thread name a session. Only the log reads it.
class LogSession {
public:
    explicit LogSession(int64_t session);
    ~LogSession();
    LogSession(const LogSession&) = delete;
    LogSession& operator=(const LogSession&) = delete;

private:
    int64_t outer_;
};

}  // namespace pelorus
