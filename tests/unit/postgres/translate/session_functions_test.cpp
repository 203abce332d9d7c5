#include "postgres/translate/select_translator.h"

#include "tests/unit/postgres/answers.h"

using namespace pelorus;
using namespace pelorus::postgres;
using namespace pelorus::testing;

TEST_CASE("facts of the session are constants") {
    CHECK(answer("select current_user, current_database(), current_schema(), (current_schemas(true))[1], "
                 "pg_is_in_recovery()") == "admin|pelorus|public|pg_catalog|false");
    CHECK(answer("select version() like 'PostgreSQL 15%'") == "true");
}
