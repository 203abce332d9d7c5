#include "common/log.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <ctime>
#include <unordered_map>
#include <utility>

#include "common/error.h"
#include "common/thread/mutex.h"
#include "common/time/local_clock.h"

namespace pelorus {
namespace {

constexpr const char* kLevelNames[] = {"DEBUG", "INFO", "WARNING", "ERROR"};
constexpr int64_t kNanosPerSecond = 1'000'000'000;
// Call sites are lines of source, so there are few; the bound is for code that generates places.
constexpr size_t kPlaces = 4096;

thread_local int64_t currentSession = 0;

void appendEscaped(std::string& line, std::string_view string) {
    for (const char c : string) {
        switch (c) {
            case '"':
                line += "\\\"";
                break;
            case '\\':
                line += "\\\\";
                break;
            case '\n':
                line += "\\n";
                break;
            case '\r':
                line += "\\r";
                break;
            case '\t':
                line += "\\t";
                break;
            default:
                if (static_cast<unsigned char>(c) < 0x20) {
                    fmt::format_to(std::back_inserter(line), "\\u{:04x}", static_cast<int>(c));
                } else {
                    line += c;
                }
        }
    }
}

void appendQuoted(std::string& line, std::string_view string) {
    line += '"';
    appendEscaped(line, string);
    line += '"';
}

// Appends local time as 2026-11-24T18:00:00.123456.
void appendTime(std::string& line, int64_t nanos) {
    const std::time_t seconds = nanos / kNanosPerSecond;
    std::tm parts{};
    gmtime_r(&seconds, &parts);  // nanos are local already
    fmt::format_to(std::back_inserter(line), "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:06}", parts.tm_year + 1900,
                   parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec,
                   nanos % kNanosPerSecond / 1000);
}

bool hasControls(std::string_view string) {
    return std::any_of(string.begin(), string.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; });
}

// Returns whether a string is written unquoted; all others are quoted, so that a line has one meaning.
bool isPlain(std::string_view string) {
    if (string.empty()) return false;
    for (const char c : string) {
        if (c == ' ' || c == '"' || c == '=' || c == '\\' || static_cast<unsigned char>(c) < 0x20) return false;
    }
    return true;
}

class Log {
public:
    void configure(const LogOptions& options) LOCKS_EXCLUDED(mutex_) {
        int descriptor = STDERR_FILENO;
        int64_t size = 0;
        if (!options.file.empty()) {
            descriptor = openFile(options.file);
            struct stat status {};
            if (::fstat(descriptor, &status) == 0) size = status.st_size;
        }
        const MutexLock lock(mutex_);
        closeFile();
        options_ = options;
        descriptor_ = descriptor;
        size_ = size;
        minLogLevel.store(options.level, std::memory_order_relaxed);
    }

    std::string file() LOCKS_EXCLUDED(mutex_) {
        const MutexLock lock(mutex_);
        return options_.file;
    }

    void flush() LOCKS_EXCLUDED(mutex_) {
        const MutexLock lock(mutex_);
        if (descriptor_ != STDERR_FILENO) ::fdatasync(descriptor_);
    }

    void write(LogLevel level, std::string_view area, std::string_view string, LogFields fields,
               const std::source_location& place) LOCKS_EXCLUDED(mutex_) {
        const int64_t now = localNanos();
        const MutexLock lock(mutex_);
        int64_t dropped = 0;
        if (!isWithinRate(place, now, dropped)) return;
        line_.clear();
        if (options_.format == LogFormat::Json) {
            formatJson(level, area, string, fields, now, dropped);
        } else {
            formatString(level, area, string, fields, now, dropped);
        }
        line_ += '\n';
        put();
    }

private:
    struct Rate {
        int64_t second = 0;
        int lines = 0;
        int64_t dropped = 0;
    };

    static int openFile(const std::string& path) {
        const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
        if (descriptor < 0) {
            throw SystemError("The log cannot be written to " + path + ": " + std::strerror(errno) + ".",
                              "Set logFile to a file in a folder that exists, or leave it out for stderr.");
        }
        return descriptor;
    }

    void closeFile() EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
        if (descriptor_ != STDERR_FILENO) ::close(descriptor_);
        descriptor_ = STDERR_FILENO;
    }

    bool isWithinRate(const std::source_location& place, int64_t now, int64_t& dropped)
        EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
        if (rates_.size() > kPlaces) rates_.clear();
        // File names are literals: one call site has one address.
        Rate& rate = rates_[reinterpret_cast<uintptr_t>(place.file_name()) * 31 + place.line()];
        const int64_t second = now / kNanosPerSecond;
        if (rate.second != second) {
            rate.second = second;
            rate.lines = 0;
        }
        if (rate.lines == kLinesPerSecond) {
            ++rate.dropped;
            return false;
        }
        ++rate.lines;
        dropped = std::exchange(rate.dropped, 0);
        return true;
    }

    void formatString(LogLevel level, std::string_view area, std::string_view string, LogFields fields, int64_t now,
                      int64_t dropped) EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
        appendTime(line_, now);
        fmt::format_to(std::back_inserter(line_), " {} {} ", kLevelNames[static_cast<int>(level)], area);
        line_ += currentSession ? std::to_string(currentSession) : "-";
        line_ += ' ';
        // One line a call, even when the message holds control characters.
        if (hasControls(string)) {
            appendEscaped(line_, string);
        } else {
            line_ += string;
        }
        for (const LogField& field : fields) {
            line_ += ' ';
            field.appendString(line_);
        }
        if (dropped) LogField("dropped", dropped).appendString(line_ += ' ');
    }

    void formatJson(LogLevel level, std::string_view area, std::string_view string, LogFields fields, int64_t now,
                    int64_t dropped) EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
        line_ += "{\"time\":\"";
        appendTime(line_, now);
        fmt::format_to(std::back_inserter(line_), "\",\"level\":\"{}\",\"area\":\"{}\",\"session\":{},\"text\":",
                       kLevelNames[static_cast<int>(level)], area, currentSession);
        appendQuoted(line_, string);
        for (const LogField& field : fields) {
            line_ += ',';
            field.appendJson(line_);
        }
        if (dropped) LogField("dropped", dropped).appendJson(line_ += ',');
        line_ += '}';
    }

    void put() EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
        if (descriptor_ != STDERR_FILENO && size_ > 0 &&
            size_ + static_cast<int64_t>(line_.size()) > options_.rotateBytes)
            rotate();
        size_t done = 0;
        while (done < line_.size()) {
            const ssize_t count = ::write(descriptor_, line_.data() + done, line_.size() - done);
            if (count < 0 && errno == EINTR) continue;
            if (count < 0) return complain();
            done += static_cast<size_t>(count);
        }
        size_ += static_cast<int64_t>(line_.size());
        complained_ = false;
    }

    // FILE.4 becomes FILE.5, … FILE becomes FILE.1; the next line begins a new FILE.
    void rotate() EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
        auto numbered = [&](int i) EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return options_.file + '.' + std::to_string(i); };
        for (int i = options_.keptFiles; i > 1; --i) ::rename(numbered(i - 1).c_str(), numbered(i).c_str());
        if (options_.keptFiles > 0) {
            ::rename(options_.file.c_str(), numbered(1).c_str());
        } else {
            ::unlink(options_.file.c_str());
        }
        const int next = ::open(options_.file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
        if (next < 0) return complain();  // logging continues in the renamed old file
        ::close(descriptor_);
        descriptor_ = next;
        size_ = 0;
    }

    void complain() EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
        if (std::exchange(complained_, true) || descriptor_ == STDERR_FILENO) return;
        const std::string string =
            "The log cannot be written to " + options_.file + ": " + std::strerror(errno) + ". Lines are dropped.\n";
        [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, string.data(), string.size());
    }

    Mutex mutex_;
    LogOptions options_ GUARDED_BY(mutex_);
    int descriptor_ GUARDED_BY(mutex_) = STDERR_FILENO;
    int64_t size_ GUARDED_BY(mutex_) = 0;
    bool complained_ GUARDED_BY(mutex_) = false;
    std::string line_ GUARDED_BY(mutex_);  // kept for its capacity
    std::unordered_map<uint64_t, Rate> rates_ GUARDED_BY(mutex_);
};

// Never destroyed: threads may log while statics are.
Log& theLog() {
    static Log& log = *new Log;
    return log;
}

}  // namespace

void LogField::appendString(std::string& line) const {
    line += key_;
    line += '=';
    switch (kind_) {
        case Kind::Text:
            if (isPlain(string_)) {
                line += string_;
            } else {
                appendQuoted(line, string_);
            }
            break;
        case Kind::Bool:
            line += integer_ ? "true" : "false";
            break;
        case Kind::Integer:
            line += std::to_string(integer_);
            break;
        case Kind::Real:
            fmt::format_to(std::back_inserter(line), "{}", real_);
            break;
    }
}

void LogField::appendJson(std::string& line) const {
    appendQuoted(line, key_);
    line += ':';
    switch (kind_) {
        case Kind::Text:
            appendQuoted(line, string_);
            break;
        case Kind::Bool:
            line += integer_ ? "true" : "false";
            break;
        case Kind::Integer:
            line += std::to_string(integer_);
            break;
        case Kind::Real:
            line += std::isfinite(real_) ? fmt::format("{}", real_) : "null";
            break;
    }
}

LogLevel logLevelOf(std::string_view name) {
    if (name == "debug") return LogLevel::Debug;
    if (name == "info") return LogLevel::Info;
    if (name == "warning") return LogLevel::Warning;
    if (name == "error") return LogLevel::Error;
    if (name == "off") return LogLevel::Off;
    throw UserError("There is no log level '" + std::string(name) + "'.",
                    "The levels are debug, info, warning, error and off.");
}

void configureLog(const LogOptions& options) {
    theLog().configure(options);
}

std::string logFile() {
    return theLog().file();
}

void flushLog() noexcept {
    theLog().flush();
}

void writeLogLine(LogLevel level, std::string_view area, std::string_view string, LogFields fields,
                  const std::source_location& place) noexcept {
    // Only the memory for the line can run out here; the line is dropped then.
    try {
        theLog().write(level, area, string, fields, place);
    } catch (...) {
    }
}

LogSession::LogSession(int64_t session) : outer_(std::exchange(currentSession, session)) {}
LogSession::~LogSession() {
    currentSession = outer_;
}

}  // namespace pelorus
