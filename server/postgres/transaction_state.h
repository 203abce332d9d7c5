// TransactionState follows the transaction of a session of PostgreSQL's protocol: where clients are told it stands, and
// its savepoints.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pelorus::postgres {

// The state of one session. The thread of its connection owns it.
class TransactionState {
public:
    enum class Status : uint8_t {
        None,    // each statement is a transaction
        Open,    // between begin and commit
        Failed,  // an error has ended it: only rollback and commit are taken
    };

    Status status() const { return status_; }
    bool isOpen() const { return status_ != Status::None; }
    bool hasFailed() const { return status_ == Status::Failed; }
    size_t savepointCount() const { return savepoints_.size(); }
    // Returns the letter that tells clients: I, T or E.
    char letter() const;

    void begin();
    void end();
    // An error ends the block. Does nothing outside of one.
    void fail();

    // Add, find and drop savepoints; the functions return the number of those that stay. A name hides an earlier one.
    // They throw SqlError 25P01 outside of a block, 3B001 for an unknown name, and 54000 beyond 10,000.
    void savepoint(std::string name);
    size_t release(std::string_view name);     // those before it stay
    size_t rollbackTo(std::string_view name);  // it stays, too, and the block goes on

private:
    size_t find(std::string_view name, const char* statement) const;

    Status status_ = Status::None;
    std::vector<std::string> savepoints_;
};

}  // namespace pelorus::postgres
