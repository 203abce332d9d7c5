// CHECK and its variants state invariants: conditions that hold unless Pelorus itself is wrong. Mistakes of a user
// throw UserError instead.
//
//   CHECK(rows <= capacity) << "the scan fills its batch";   ends the request with a CheckFailure (an InternalError)
//   CHECK_FATAL(synced >= written) << "…";                   ends the process
//   DCHECK(isSorted(keys)) << "…";                           as CHECK, in debug and sanitizer builds only
//
// The message names the condition, the values of both sides of a comparison, the place, and the streamed message: the
// invariant, in words. The streamed expression is evaluated only when the check fails; a check that holds costs its
// condition and one branch.
//
// A CHECK throws, so it must precede the first change of state. In destructors, in noexcept functions, and after a log
// record was written, CHECK_FATAL is used instead: to continue would make the damage durable.
//
// Included by sources only, never by headers: tests use macros of these names for their expectations.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "common/error.h"

namespace pelorus {

// The error of a failed check, which is a defect of Pelorus. It ends the request; the process continues.
class CheckFailure : public InternalError {
public:
    using InternalError::InternalError;
};

namespace check {

template <class T>
std::string describe(const T& value) {
    if constexpr (std::is_same_v<T, bool>) {
        return value ? "true" : "false";
    } else if constexpr (std::is_integral_v<T> && sizeof(T) == 1) {
        return std::to_string(static_cast<int>(value));
    } else if constexpr (std::is_arithmetic_v<T>) {
        return fmt::format("{}", value);
    } else if constexpr (std::is_enum_v<T>) {
        return std::to_string(static_cast<int64_t>(value));
    } else if constexpr (std::is_null_pointer_v<T>) {
        return "null";
    } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
        if constexpr (std::is_pointer_v<T>) {
            if (value == nullptr) return "null";
        }
        return '"' + std::string(std::string_view(value).substr(0, 200)) + '"';
    } else if constexpr (std::is_pointer_v<T>) {
        return value == nullptr ? "null" : "a pointer";
    } else {
        return "an object";
    }
}

template <class T>
inline constexpr bool isInteger = std::is_integral_v<T> && !std::is_same_v<T, bool> && !std::is_same_v<T, char>;

// The result of a condition, with the values of its two sides if it failed.
struct Outcome {
    std::unique_ptr<std::string> failure;

    explicit operator bool() const { return !failure; }
};

template <class L, class R>
[[gnu::noinline, gnu::cold]] Outcome failed(const L& left, const char* op, const R& right) {
    return {std::make_unique<std::string>(describe(left) + ' ' + op + ' ' + describe(right))};
}

// The left side of a condition. Integers are compared by value, whatever their signs and widths.
template <class T>
struct Operand {
    const T& value;

    explicit operator bool() const { return static_cast<bool>(value); }

#define PELORUS_CHECK_COMPARISON(op, compare)                                      \
    template <class R>                                                             \
    Outcome operator op(const R& right) const {                                    \
        bool holds;                                                                \
        if constexpr (isInteger<T> && isInteger<R>) {                              \
            holds = compare(value, right);                                         \
        } else {                                                                   \
            holds = value op right;                                                \
        }                                                                          \
        return __builtin_expect(holds, 1) ? Outcome{} : failed(value, #op, right); \
    }
    PELORUS_CHECK_COMPARISON(==, std::cmp_equal)
    PELORUS_CHECK_COMPARISON(!=, std::cmp_not_equal)
    PELORUS_CHECK_COMPARISON(<, std::cmp_less)
    PELORUS_CHECK_COMPARISON(<=, std::cmp_less_equal)
    PELORUS_CHECK_COMPARISON(>, std::cmp_greater)
    PELORUS_CHECK_COMPARISON(>=, std::cmp_greater_equal)
#undef PELORUS_CHECK_COMPARISON
};

// Takes the left side of a condition: << binds more weakly than + and more strongly than ==.
struct Decompose {
    template <class T>
    constexpr Operand<T> operator<<(const T& value) const {
        return {value};
    }
};

inline Outcome outcomeOf(Outcome outcome) {
    return outcome;
}
inline Outcome outcomeOf(bool holds) {
    return holds ? Outcome{} : Outcome{std::make_unique<std::string>("false")};
}
template <class T>
Outcome outcomeOf(const Operand<T>& operand) {
    return outcomeOf(static_cast<bool>(operand));
}

// The message of a failed check: "CHECK(a == b) failed: 3 == 4 (sql/operators/driver.cpp:40): " and the streamed
// values.
class Message {
public:
    Message(const char* file, int line, const char* condition, const Outcome& outcome);

    template <class T>
    Message& operator<<(const T& part) {
        if constexpr (std::is_convertible_v<const T&, std::string_view>) {
            string_ += std::string_view(part);
        } else {
            string_ += describe(part);
        }
        return *this;
    }
    const std::string& string() const { return string_; }

private:
    std::string string_;
};

// Ends a failed check with its message. & binds more weakly than <<.
struct ThrowFailure {
    [[noreturn]] void operator&(const Message& message) const;
};
struct AbortProcess {
    [[noreturn]] void operator&(const Message& message) const noexcept;
};

}  // namespace check
}  // namespace pelorus

#define PELORUS_CHECK(end, condition)                                                \
    if (const ::pelorus::check::Outcome outcome =                                    \
            ::pelorus::check::outcomeOf(::pelorus::check::Decompose{} << condition); \
        __builtin_expect(static_cast<bool>(outcome), 1)) {                           \
    } else                                                                           \
        ::pelorus::check::end{} & ::pelorus::check::Message(__FILE__, __LINE__, #condition, outcome)

#define CHECK(condition) PELORUS_CHECK(ThrowFailure, condition)
#define CHECK_FATAL(condition) PELORUS_CHECK(AbortProcess, condition)

#if !defined(NDEBUG) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(PELORUS_DCHECK)
#define DCHECK(condition) CHECK(condition)
#else
#define DCHECK(condition) \
    if (true) {           \
    } else                \
        CHECK(condition)
#endif
