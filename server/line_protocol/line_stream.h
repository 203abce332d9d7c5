// The lines of one connection of the line protocol's port: takes bytes as they come, and commits their rows now and
// then.
//
// Owned by the thread of the connection.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "server/line_protocol/line_writer.h"

namespace pelorus {

class PrincipalSource;

class LineStream {
public:
    // Each commit has the rights that the user has then. The service and the principals outlive the object.
    LineStream(const LineService& service, const PrincipalSource& principals, std::string user)
        : service_(service), principals_(principals), user_(std::move(user)) {}

    // Parses the whole lines in `bytes` and returns how many bytes they have. Commits when enough rows have come.
    // Throws UserError for a bad line, after the rows before it were committed, and what `commit` throws.
    size_t take(std::string_view bytes);
    // Commits when the oldest row that is not committed has waited long enough.
    void commitWhenDue();
    // Stores the rows that have come. Throws SystemError, and UserError when the tables take them no more.
    void commit();

    // Number and table of the line that was refused last, counted from the beginning of the connection.
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
    std::unique_ptr<Request> request_;  // of the batch
    std::unique_ptr<WrittenTables> tables_;
    std::unique_ptr<LineBatch> batch_;
    std::string lines_;  // of the batch: they are read again when others change a table
    Clock::time_point began_;
    int64_t linesBefore_ = 0;
    int64_t committedRows_ = 0;
    int64_t errorLine_ = 0;
    std::string errorTable_;
};

}  // namespace pelorus
