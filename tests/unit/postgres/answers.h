// Runs queries of PostgreSQL's language over tables that the process shares, for tests.
#pragma once

#include <catch2/catch.hpp>

#include "postgres/functions/conversions.h"
#include "postgres/sql_error.h"
#include "postgres/translate/prepared_query.h"
#include "runtime/function/principal.h"
#include "runtime/table/table.h"
#include "runtime/value/vector.h"
#include "tests/unit/process/whole_process.h"

namespace pelorus::testing {

inline void fillTables() {
    [[maybe_unused]] static const bool isFilled = [] {
        wholeProcess().run(
            "share table(1 2 3 NULL 5 as id, `x`y`x`z`y as s, 1.5 2.5 NULL 4.0 5.0 as d, "
            "2026.01.01 2026.01.02 NULL 2026.01.04 2026.01.05 as day, true false NULL true false as b) as pgItems;"
            "share table(1 2 2 7 NULL as id, 10 20 21 70 90 as v) as pgOther");
        return true;
    }();
}

// Returns the rows of a query: cells with | between, rows with ;, NULL as -.
inline std::string answer(std::string_view query, const std::vector<Value>& parameters = {}) {
    fillTables();
    Request request(Principal::owner());
    Context context(wholeProcess().services(), request);
    postgres::SessionFacts session;
    session.user = "admin";
    const auto statements = postgres::parseStatements(query);
    REQUIRE(statements.size() == 1);
    const auto prepared = postgres::prepareQuery(*statements[0], {}, session, context);
    INFO(prepared->source());
    const Ref<MemoryTable> rows = prepared->run(parameters, context);
    std::string text;
    for (int64_t row = 0; row < rows->rowCount(); ++row) {
        if (row > 0) text += ';';
        for (size_t i = 0; i < prepared->columns().size(); ++i) {
            const Value cell = rows->column(static_cast<int>(i)).at(row);
            const auto& column = prepared->columns()[i];
            text += (i > 0 ? "|" : "") + (cell.isNull() ? "-" : postgres::textForm(cell, column.type, column.modifier));
        }
    }
    return text;
}

// Returns the SQLSTATE of a query that fails; "answer …" when it does not.
inline std::string stateOf(std::string_view query) {
    try {
        return "answer " + answer(query);
    } catch (const std::exception& error) {
        return postgres::sqlStateOf(error);
    }
}

}  // namespace pelorus::testing
