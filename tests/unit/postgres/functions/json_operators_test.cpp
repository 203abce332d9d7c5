#include "tests/unit/postgres/answers.h"

using namespace pelorus;
using namespace pelorus::testing;

TEST_CASE("values of JSON are reached by names, numbers and paths") {
    CHECK(answer("select '{\"a\":[10,{\"y\":\"t\"}]}'::jsonb -> 'a' -> 1 ->> 'y', '[1,2]'::json -> -1, "
                 "'{\"a\":{\"b\":[5]}}'::jsonb #> '{a,b,0}', '{\"a\":{\"b\":[5]}}'::json #>> '{a,b}'") == "t|2|5|[5]");
    CHECK(
        answer(
            "select '{\"a\":null}'::jsonb -> 'a', '{\"a\":null}'::jsonb ->> 'a', '{\"a\":\"\"}'::jsonb ->> 'a' = ''") ==
        "null|-|true");
    CHECK(answer("select '{}'::jsonb -> null, null::jsonb -> 'a', '5'::json -> 'a', '5'::jsonb #> '{}', "
                 "'[1]'::jsonb #> '{x}'") == "-|-|-|5|-");
    CHECK(answer("select ('{\"n\":' || id || '}')::jsonb ->> 'n' from pgItems where id < 4 order by id") == "1;2;3");
}

TEST_CASE("values of jsonb contain others, and have keys") {
    CHECK(answer("select '{\"a\":1,\"b\":[1,2]}'::jsonb @> '{\"b\":[2]}', '{\"b\":[2]}'::jsonb <@ '{\"b\":[1,2]}', "
                 "'[1,2]'::jsonb @> '1', '{\"a\":1}'::jsonb = '{ \"a\": 1 }'") == "true|true|true|true");
    CHECK(answer("select '{\"a\":1}'::jsonb ? 'a', '[\"a\"]'::jsonb ?| array['b','a'], "
                 "'{\"a\":1}'::jsonb ?& array['a','c']") == "true|true|false");
    CHECK(answer("select jsonb_typeof('[]'), json_typeof('null'), json_array_length('[1,2]')") == "array|null|2");
    CHECK(stateOf("select jsonb_array_length('{}')") == "22023");
    CHECK(stateOf("select '[1,2]'::json @> '[1]'") == "42883");
    CHECK(stateOf("select '{\"a\":1'::json") == "22P02");
    CHECK(answer("select '{\"b\":1, \"b\":2}'::json::jsonb, '{\"b\":1}'::jsonb::json") == "{\"b\": 2}|{\"b\": 1}");
}
