// A connection to another database by ODBC.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "common/thread/mutex.h"
#include "runtime/function/context.h"
#include "runtime/table/table.h"
#include "stdlib/odbc/odbc_library.h"

namespace pelorus::odbc {

// An open connection that a script holds; closed by close() or with the last handle. Thread-safe: calls are serialized.
class OdbcConnection final : public Object, public Described {
public:
    // Throws UserError with the driver's reason when the database does not answer.
    explicit OdbcConnection(const std::string& connectionString);
    ~OdbcConnection() override { close(); }

    std::string describe() const override { return "odbc"; }
    void close();

    // Runs a statement, and calls f with the rows in batches of at most so many, at least once, when it gives rows; f
    // runs no code of the script. Asks for cancellation. Throws UserError with the driver's reason.
    void run(Context& context, const std::string& statement, int64_t batchRows,
             const std::function<void(Ref<MemoryTable>)>& f);
    // Inserts the rows of a table into one of the database, all or none; makes that table first when it is wanted and
    // none is there.
    void append(Context& context, const MemoryTable& rows, const std::string& table, bool makesTable,
                bool ignoresDuplicates);

private:
    SQLHDBC open() EXCLUSIVE_LOCKS_REQUIRED(mutex_);

    Mutex mutex_;  // guards the connection
    SQLHENV environment_ GUARDED_BY(mutex_) = nullptr;
    SQLHDBC connection_ GUARDED_BY(mutex_) = nullptr;
    std::string product_ GUARDED_BY(mutex_);  // the name that the database gives of itself
};

}  // namespace pelorus::odbc
