// What rows must satisfy together when a statement, or a transaction, ends: the interface by which a transaction asks.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace pelorus {

// The rules of one transaction, which owns it. Used by its thread.
class StatementRules {
public:
    virtual ~StatementRules() = default;
    // Checks what the rows that the statement has changed must satisfy, and changes other rows where a rule says so.
    // Throws ConstraintError; the transaction is to be rolled back then, or taken back to before the statement.
    virtual void endStatement() = 0;
    // Does so for what was put off of the constraints of these names, or of all where there are none.
    virtual void checkDeferred(const std::vector<std::string>& constraints) = 0;
    // Does so for what is left until the end of the transaction.
    virtual void beforeCommit() = 0;

    // How much there was to check at some time.
    struct Position {
        size_t pending = 0, deferred = 0;
    };
    virtual Position position() const = 0;
    // Forgets what was noted since; later positions mean nothing any more.
    virtual void rollbackTo(const Position& position) = 0;
};

}  // namespace pelorus
