// An error as PostgreSQL's clients know it: with a SQLSTATE, a place in the statement, and perhaps a detail.
#pragma once

#include <exception>
#include <string>
#include <string_view>

#include "common/error.h"

namespace pelorus::postgres {

// An error of a statement or its data. `state` has five characters, as those of appendix A of PostgreSQL's manual.
class SqlError : public UserError {
public:
    // `position` counts the bytes of the statement's string before the place, negative for none.
    SqlError(std::string_view state, std::string what, int position = -1, std::string hint = "")
        : UserError(std::move(what), std::move(hint)), state_(state), position_(position) {}

    const std::string& state() const { return state_; }
    int position() const { return position_; }
    const std::string& detail() const { return detail_; }
    // Adds what clients show below the message.
    SqlError& setDetail(std::string detail) {
        detail_ = std::move(detail);
        return *this;
    }

private:
    std::string state_;
    int position_;
    std::string detail_;
};

// The classes of errors that the dialect raises itself.
namespace sql_state {
constexpr std::string_view kSyntaxError = "42601";
constexpr std::string_view kDuplicateTable = "42P07";
constexpr std::string_view kUniqueViolation = "23505";
constexpr std::string_view kNotNullViolation = "23502";
constexpr std::string_view kUndefinedColumn = "42703";
constexpr std::string_view kUndefinedTable = "42P01";
constexpr std::string_view kUndefinedFunction = "42883";
constexpr std::string_view kUndefinedObject = "42704";
constexpr std::string_view kUndefinedParameter = "42P02";
constexpr std::string_view kAmbiguousColumn = "42702";
constexpr std::string_view kDuplicateAlias = "42712";
constexpr std::string_view kInvalidSchemaName = "3F000";
constexpr std::string_view kGroupingError = "42803";
constexpr std::string_view kWindowingError = "42P20";
constexpr std::string_view kDatatypeMismatch = "42804";
constexpr std::string_view kIndeterminateDatatype = "42P18";
constexpr std::string_view kCannotCoerce = "42846";
constexpr std::string_view kInvalidColumnReference = "42P10";
constexpr std::string_view kFeatureNotSupported = "0A000";
constexpr std::string_view kInvalidText = "22P02";
constexpr std::string_view kOutOfRange = "22003";
constexpr std::string_view kDivisionByZero = "22012";
constexpr std::string_view kDatetimeOverflow = "22008";
constexpr std::string_view kInvalidDatetime = "22007";
constexpr std::string_view kInvalidParameter = "22023";
constexpr std::string_view kCardinality = "21000";
constexpr std::string_view kTooComplex = "54001";
constexpr std::string_view kProgramLimit = "54000";
constexpr std::string_view kInsufficientPrivilege = "42501";
constexpr std::string_view kSerializationFailure = "40001";
constexpr std::string_view kQueryCanceled = "57014";
constexpr std::string_view kOutOfMemory = "53200";
constexpr std::string_view kSystemError = "58030";
constexpr std::string_view kInternalError = "XX000";
}  // namespace sql_state

// The error of a statement whose table has other columns than when it was bound: binding it again may help.
class StaleStatement final : public SqlError {
public:
    StaleStatement() : SqlError(sql_state::kFeatureNotSupported, "cached plan must not change result type") {}
};

// Returns the message with its state in it, for a way on which only strings are kept; and the error that such a string,
// or one that contains it, represents: `otherwise` where there is none.
std::string withState(const SqlError& error);
[[noreturn]] void throwByState(const Error& otherwise);

// Returns the SQLSTATE of any error: its own, or the one of its kind.
std::string sqlStateOf(const std::exception& error);

}  // namespace pelorus::postgres
