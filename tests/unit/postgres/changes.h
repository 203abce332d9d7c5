// Runs statements of PostgreSQL's language over a data folder of the test's own.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch.hpp>

#include "database/service/database_service.h"
#include "interpreter/session/shared_objects.h"
#include "postgres/change/prepared_change.h"
#include "postgres/definition/definition.h"
#include "postgres/functions/conversions.h"
#include "postgres/sql_error.h"
#include "postgres/translate/prepared_query.h"
#include "runtime/function/principal.h"
#include "runtime/table/table.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/process/whole_process.h"

namespace pelorus::testing {

// Tables of columns in a folder that goes with the object.
class ChangedTables {
public:
    ChangedTables() {
        wholeProcess();
        addSharedObjects(services_);
        services_.add<DatabaseService>(
            std::make_shared<LocalDatabaseService>(LocalDatabaseService::Options{.folder = folder_ / "data"}));
        facts_.user = "admin";
    }

    Context& context() { return context_; }
    const postgres::SessionFacts& facts() const { return facts_; }

    // Returns what clients are told of a change: its tag, or the SQLSTATE of its error.
    std::string run(std::string_view text, const std::vector<Value>& parameters = {}) {
        try {
            const auto statement = parsed(text);
            if (postgres::isDefinition(*statement)) return postgres::define(*statement, facts_, context_).tag;
            const auto change = postgres::prepareChange(*statement, {}, facts_, context_);
            return change->tagFor(change->run(parameters, context_).count);
        } catch (const std::exception& error) {
            return postgres::sqlStateOf(error);
        }
    }

    // Returns the rows of a query: cells with | between, rows with ;, NULL as -.
    std::string rows(std::string_view text) {
        const auto query = postgres::prepareQuery(*parsed(text), {}, facts_, context_);
        const Ref<MemoryTable> rows = query->run({}, context_);
        return shown(*rows, query->columns());
    }

    // Returns the rows that a change returns, in the same form, or the SQLSTATE of its error.
    std::string returned(std::string_view text, const std::vector<Value>& parameters = {}) {
        try {
            const auto change = postgres::prepareChange(*parsed(text), {}, facts_, context_);
            const postgres::PreparedChange::Done done = change->run(parameters, context_);
            return done.returned ? shown(*done.returned, change->columns()) : "nothing";
        } catch (const std::exception& error) {
            return postgres::sqlStateOf(error);
        }
    }

    // Closes the folder and opens it again, as after the end of the process.
    void reopen() {
        services_ = Services();
        addSharedObjects(services_);
        services_.add<DatabaseService>(
            std::make_shared<LocalDatabaseService>(LocalDatabaseService::Options{.folder = folder_ / "data"}));
    }

private:
    static std::string shown(const MemoryTable& rows, const std::vector<postgres::OutputColumn>& columns) {
        std::string shown;
        for (int64_t row = 0; row < rows.rowCount(); ++row) {
            if (row > 0) shown += ';';
            for (size_t i = 0; i < columns.size(); ++i) {
                const Value cell = rows.column(static_cast<int>(i)).at(row);
                shown += (i > 0 ? "|" : "") +
                         (cell.isNull() ? "-" : postgres::textForm(cell, columns[i].type, columns[i].modifier));
            }
        }
        return shown;
    }

    static std::shared_ptr<const postgres::Statement> parsed(std::string_view text) {
        const auto statements = postgres::parseStatements(text);
        REQUIRE(statements.size() == 1);
        return statements[0];
    }

    TemporaryFolder folder_;
    Services services_;
    postgres::SessionFacts facts_;
    Request request_{Principal::owner()};
    Context context_{services_, request_};
};

}  // namespace pelorus::testing
