// Error is the base of the three kinds of error. Each says what is wrong, where, and how to fix it.
//
//   UserError      the script or its data is at fault; the message is for its author
//   SystemError    disk, network or memory refused; `retryable` says if trying again can help
//   InternalError  a bug of ours
//
// A kernel names the argument and the value; the interpreter adds the position in the script.
#pragma once

#include <stdexcept>
#include <string>

#include "common/source_position.h"

namespace pelorus {

// The base class. `what` is one or more full sentences.
class Error : public std::runtime_error {
public:
    Error(std::string what, std::string hint) : std::runtime_error(std::move(what)), hint_(std::move(hint)) {}

    // Advice for the reader, as a full sentence; empty when the message says enough.
    const std::string& hint() const { return hint_; }

private:
    std::string hint_;
};

// An error of a script or its data.
class UserError : public Error {
public:
    explicit UserError(std::string what, std::string hint = "") : Error(std::move(what), std::move(hint)) {}
    // `argument` counts from 0; the error points at that argument.
    UserError(int argument, std::string what, std::string hint = "")
        : Error(std::move(what), std::move(hint)), argument_(argument) {}
    // `place` is the position of the error in the script, for callers that know it more precisely than the running
    // statement.
    UserError(SourcePosition place, std::string what, std::string hint = "")
        : Error(std::move(what), std::move(hint)), place_(place) {}

    int argument() const { return argument_; }
    SourcePosition place() const { return place_; }

private:
    int argument_ = -1;
    SourcePosition place_;
};

// An error of the system that the process runs on.
class SystemError : public Error {
public:
    explicit SystemError(std::string what, std::string hint = "", bool retryable = false)
        : Error(std::move(what), std::move(hint)), retryable_(retryable) {}

    bool retryable() const { return retryable_; }

private:
    bool retryable_;
};

// A defect of Pelorus.
class InternalError : public Error {
public:
    explicit InternalError(std::string what)
        : Error("Internal error: " + what, "Please report it with the script that led here.") {}
};

}  // namespace pelorus
