// LineStream takes the bytes of one connection of the line protocol's port as they come, and commits their rows.
//
// The thread of the connection owns it.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "server/line_protocol/line_writer.h"

namespace pelorus {

class PrincipalSource;

// The rows of one sender that are not committed yet, and the lines they came from.
class LineStream {
public:
    // Each batch of rows has the rights that the user has when it begins. The service and the principals outlive the
    // object.
    LineStream(const LineService& service, const PrincipalSource& principals, std::string user)
        : service_(service), principals_(principals), user_(std::move(user)) {}

    // Parses the complete lines in `bytes` and returns how many bytes they have. Commits when 65,536 rows or 64 MiB
    // have come. Throws UserError for a bad line, after the rows before it were committed, and what `commit` throws.
    size_t take(std::string_view bytes);
    // Commits when the oldest row that is not committed has waited for 100 ms. Throws what `commit` throws.
    void commitWhenDue();
    // Stores the rows that have come, in one transaction. When others changed a table meanwhile, parses the lines
    // again. Throws SystemError when the disk refuses, and UserError when the tables do not take the rows any more; the
    // rows are then still there, and not stored.
    void commit();

    // The number, counted from the beginning of the connection, and the table of the last line that was refused.
    int64_t errorLine() const { return errorLine_; }
    const std::string& errorTable() const { return errorTable_; }
    int64_t committedRows() const { return committedRows_; }

private:
    void begin();

    using Clock = std::chrono::steady_clock;

    const LineService& service_;
    const PrincipalSource& principals_;
    const std::string user_;
    TagSets tags_;
    std::unique_ptr<Request> request_;  // request of the batch
    std::unique_ptr<WrittenTables> tables_;
    std::unique_ptr<LineBatch> batch_;
    std::string lines_;  // lines of the batch, parsed again when others change a table
    Clock::time_point began_;
    int64_t linesBefore_ = 0;
    int64_t committedRows_ = 0;
    int64_t errorLine_ = 0;
    std::string errorTable_;
};

}  // namespace pelorus
