#include "postgres/functions/postgres_functions.h"

#include "tests/unit/postgres/answers.h"

using namespace pelorus;
using namespace pelorus::postgres;
using namespace pelorus::testing;

TEST_CASE("objects of JSON have quotes where they must") {
    CHECK(answer("select json_build_object('a', 1, 'b\"', null, 'c', 'x', 'd', true)") ==
          "{\"a\" : 1, \"b\\\"\" : null, \"c\" : \"x\", \"d\" : true}");
    CHECK(stateOf("select json_build_object('a')") == "22023");
}

TEST_CASE("functions of texts count characters and know '' from NULL") {
    CHECK(answer("select length('äö'), upper('aä'), initcap('hello wORLD'), reverse('añb'), left('abc', -1), "
                 "right('abc', 2)") == "2|Aä|Hello World|bña|ab|bc");
    CHECK(answer("select lpad('x', 3, 'ab'), rpad('x', 3), btrim('xxaxx', 'x'), ltrim('  a'), split_part('a,b,c', ',', "
                 "2), split_part('a,b', ',', -1)") == "abx|x  |a|a|b|b");
    CHECK(answer("select replace('aXbX', 'X', ''), translate('abc', 'ab', 'x'), repeat('ab', 2), chr(65), ascii('A'), "
                 "md5('a')") == "ab|xc|abab|A|65|0cc175b9c0f1b6a831c399e269772661");
    CHECK(answer("select concat('a', null, 1), concat_ws('-', 'a', null, 'b'), format('%s %I %L', 'a', 'B c', null), "
                 "quote_literal('it''s')") == "a1|a-b|a \"B c\" NULL|'it''s'");
    CHECK(answer("select regexp_replace('abc', 'b', 'X'), regexp_replace('abab', '(a)', '\\1\\1', 'g'), "
                 "substring('foobar' from 'o(.)b')") == "aXc|aabaab|o");
    CHECK(answer("select trim('  ') = '', trim('  ') is null, '' || 'a'") == "true|false|a");
    CHECK(stateOf("select repeat('x', 2000000000)") == "54000");
    CHECK(stateOf("select chr(0)") == "54000");
    CHECK(stateOf("select chr(55296)") == "54000");
}
