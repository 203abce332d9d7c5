// Surroundings of the process that a test changes for its time: a variable, and what is written to standard output.
#pragma once

#include <cstdlib>
#include <iostream>
#include <optional>
#include <sstream>
#include <string>

namespace pelorus::testing {

// A variable of the environment; it is what it was when the object goes.
class EnvironmentVariable {
public:
    EnvironmentVariable(std::string name, const std::optional<std::string>& value) : name_(std::move(name)) {
        if (const char* before = std::getenv(name_.c_str())) before_ = before;
        set(value);
    }
    ~EnvironmentVariable() { set(before_); }
    EnvironmentVariable(const EnvironmentVariable&) = delete;
    EnvironmentVariable& operator=(const EnvironmentVariable&) = delete;

private:
    void set(const std::optional<std::string>& value) const {
        value ? ::setenv(name_.c_str(), value->c_str(), 1) : ::unsetenv(name_.c_str());
    }

    const std::string name_;
    std::optional<std::string> before_;
};

// Collects what goes to std::cout, or another stream, while it lives.
class CapturedStream {
public:
    explicit CapturedStream(std::ostream& stream = std::cout) : stream_(stream), before_(stream.rdbuf(text_.rdbuf())) {}
    ~CapturedStream() { stream_.rdbuf(before_); }
    CapturedStream(const CapturedStream&) = delete;
    CapturedStream& operator=(const CapturedStream&) = delete;

    // Returns what has come since the last call.
    std::string take() {
        std::string text = text_.str();
        text_.str("");
        return text;
    }

private:
    std::ostream& stream_;
    std::ostringstream text_;
    std::streambuf* before_;
};

}  // namespace pelorus::testing
