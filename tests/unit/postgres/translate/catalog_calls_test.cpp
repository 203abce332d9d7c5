#include "postgres/translate/catalog_calls.h"

#include "tests/unit/postgres/answers.h"

using namespace pelorus;
using namespace pelorus::postgres;
using namespace pelorus::testing;

TEST_CASE("functions over the catalog answer as tools expect") {
    CHECK(answer("select relname from pg_class where pg_table_is_visible(oid) and relname like 'pgO%'") == "pgOther");
    CHECK(answer(
              "select format_type(23, null), format_type(1700, 655366), pg_get_userbyid(10), pg_encoding_to_char(6)") ==
          "integer|numeric(10,2)|admin|UTF8");
    CHECK(answer("select to_regclass('not_there') is null, to_regclass('pgOther') is null, to_regtype('int4')::oid") ==
          "true|false|23");
    CHECK(answer("select array_to_string(array[1, 2], '-'), array_upper(string_to_array('a,b,c', ','), 1), "
                 "parse_ident('a.\"B\"')") == "1-2|3|{a,B}");
    CHECK(answer("select has_table_privilege('admin', 'pgOther', 'select'), "
                 "has_schema_privilege('public', 'usage'), has_schema_privilege('nowhere', 'usage')") ==
          "true|true|false");
    CHECK(answer("select count(*) from pg_class where has_table_privilege(oid, 'select') and relname = 'pgOther'") ==
          "1");
    CHECK(answer("select has_table_privilege('pgOther', 'select'), obj_description(1, 'pg_class') is null") ==
          "true|true");
    CHECK(stateOf("select has_table_privilege('not_there', 'select')") == "42P01");
}
