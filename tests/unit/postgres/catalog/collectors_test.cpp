#include "postgres/catalog/collectors.h"

#include "postgres/catalog/activity.h"
#include "postgres/catalog/shown_expressions.h"
#include "postgres/catalog/shown_keys.h"
#include "tests/unit/postgres/answers.h"

using namespace pelorus;
using namespace pelorus::postgres;
using namespace pelorus::testing;

TEST_CASE("rows of the catalog have as many cells as the table has columns") {
    fillTables();
    Request request(Principal::owner());
    Context context(wholeProcess().services(), request);
    for (const SystemTable& table : catalogTables()) {
        INFO(table.name);
        if (table.collect == nullptr) continue;
        CatalogRows rows;
        table.collect(context, rows);
        // Sessions and keys: this process serves none, and its tables have none.
        const bool mayBeEmpty = table.collect == collectActivity || table.collect == collectIndexes ||
                                table.collect == collectConstraints || table.collect == collectIndexDefinitions ||
                                table.collect == collectTableConstraints || table.collect == collectKeyColumns ||
                                table.collect == collectConstraintColumns || table.collect == collectDefaults ||
                                table.collect == collectSequences || table.collect == collectSequenceStates ||
                                table.collect == collectInformationSequences || table.collect == collectDependencies ||
                                table.collect == collectReferences || table.collect == collectViews ||
                                table.collect == collectInformationViews;
        CHECK((mayBeEmpty || !rows.empty()));
        for (const CatalogRow& row : rows) CHECK(row.size() == table.columns.size());
        CHECK(catalogRows(table, context).size() == static_cast<int64_t>(rows.size()));
    }
}

TEST_CASE("settings, schemas and tables are there") {
    CHECK(answer("select setting from pg_settings where name = 'max_index_keys'") == "32");
    CHECK(answer("select count(*) from information_schema.schemata where schema_name = 'public'") == "1");
    CHECK(answer("select tablename from pg_tables where schemaname = 'public' and tablename like 'pgO%'") == "pgOther");
}
