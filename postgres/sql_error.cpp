#include "postgres/sql_error.h"

#include <algorithm>
#include <new>

namespace pelorus::postgres {

namespace {

// The errors of the engine are whole sentences without a code. Those that clients act upon are told by a part of the
// sentence that never changes.
struct Told {
    std::string_view part;
    std::string_view state;
};
constexpr Told kTold[] = {
    {"<NoPrivilege>", sql_state::kInsufficientPrivilege},
    {"Only administrators", sql_state::kInsufficientPrivilege},
    {"cancelled", sql_state::kQueryCanceled},
    {"was canceled", sql_state::kQueryCanceled},
    {"Not granted", sql_state::kInsufficientPrivilege},
    {"No access", sql_state::kInsufficientPrivilege},
    {"no right to", sql_state::kInsufficientPrivilege},
    {"has no right", sql_state::kInsufficientPrivilege},
    {"memory limit", sql_state::kOutOfMemory},
    {"maxMemSize", sql_state::kOutOfMemory},
    {"has been dropped", sql_state::kUndefinedTable},
    {"There is no table ", sql_state::kUndefinedTable},
    {"<NotSupported>", sql_state::kFeatureNotSupported},
    {"<DuplicateName>", sql_state::kDuplicateTable},
    {"<NoSuchKey>", "42P10"},
    {"<MetTwice>", sql_state::kCardinality},
    {"<NoSuchSequence>", sql_state::kUndefinedTable},
    {"<SequenceEnd>", "2200H"},
    {"<NotYetDefined>", "55000"},
    {"<OutOfRange>", sql_state::kOutOfRange},
    {"<CheckViolation>", "23514"},
    {"<ForeignKeyViolation>", "23503"},
    {"<StillReferenced>", "2BP01"},
    {"<NotSupported>", sql_state::kFeatureNotSupported},
    {"<DuplicateKey>", sql_state::kUniqueViolation},
    {"<NullInRequired>", sql_state::kNotNullViolation},
    {"<ChunkInTransaction>", sql_state::kSerializationFailure},
    {"<ConcurrentChange>", sql_state::kSerializationFailure},
    {"<Deadlock>", "40P01"},
    {"<LockNotAvailable>", "55P03"},
    {"<TransactionTooLarge>", "53400"},
    {"<SnapshotTooOld>", "72000"},
};

std::string_view stateByWords(std::string_view message, std::string_view otherwise) {
    for (const Told& told : kTold)
        if (message.find(told.part) != std::string_view::npos) return told.state;
    return otherwise;
}

constexpr std::string_view kBegin = "<SQLSTATE ";

}  // namespace

std::string withState(const SqlError& error) {
    return std::string(kBegin) + error.state() + ">" + error.what() + "<>";
}

void throwByState(const Error& otherwise) {
    const std::string_view text = otherwise.what();
    const size_t begin = text.find(kBegin);
    const size_t message = begin + kBegin.size() + 6;
    if (text.find("<DefinitionChanged>") != std::string_view::npos) throw StaleStatement();
    if (begin == std::string_view::npos || message >= text.size()) {
        if (dynamic_cast<const StaleStatement*>(&otherwise) != nullptr) throw StaleStatement();
        if (const auto* known = dynamic_cast<const SqlError*>(&otherwise)) throw SqlError(*known);
        throw;
    }
    const size_t end = std::min(text.find("<>", message), text.size());
    throw SqlError(text.substr(message - 6, 5), std::string(text.substr(message, end - message)));
}

std::string sqlStateOf(const std::exception& error) {
    if (const auto* own = dynamic_cast<const SqlError*>(&error)) return own->state();
    if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) return std::string(sql_state::kOutOfMemory);
    if (dynamic_cast<const InternalError*>(&error) != nullptr) return std::string(sql_state::kInternalError);
    if (dynamic_cast<const SystemError*>(&error) != nullptr)
        return std::string(stateByWords(error.what(), sql_state::kSystemError));
    if (dynamic_cast<const UserError*>(&error) != nullptr) return std::string(stateByWords(error.what(), "42000"));
    return std::string(sql_state::kInternalError);
}

}  // namespace pelorus::postgres
