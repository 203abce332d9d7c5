#include "interpreter/parser/parser.h"

#include <catch2/catch.hpp>

#include "tests/support/code_shape.h"

using namespace pelorus;

namespace {

std::string parsed(std::string_view text, const NameRoles& roles = {}) {
    std::string all;
    for (const NodeRef& node : parseScript(text, roles)) {
        if (!all.empty()) all += '\n';
        all += shape(node);
    }
    return all;
}

SyntaxError errorOf(std::string_view text) {
    try {
        parseScript(text);
    } catch (const SyntaxError& error) {
        return error;
    }
    FAIL("no error in: " << text);
    throw InternalError("unreachable");
}

}  // namespace

TEST_CASE("operators bind by the table of precedence and to the left") {
    CHECK(parsed("a || b && c == d | e ^ f & g << h + i * j") ==
          "(or a (and b (eq c (bitOr d (bitXor e (bitAnd f (lshift g (add h (mul i j)))))))))");
    CHECK(parsed("a - b - c") == "(sub (sub a b) c)");
    CHECK(parsed("a / b \\ c % d ** e") == "(dot (mod (ratio (div a b) c) d) e)");
    CHECK(parsed("x <- y") == "(join x y)");
    CHECK(parsed("x <> y") == "(ne x y)");
}

TEST_CASE("a pair and a sequence bind tighter than arithmetic") {
    CHECK(parsed("1..3+1") == "(add (seq 1 3) 1)");
    CHECK(parsed("1:2+6") == "(add (pair 1 2) 6)");
    CHECK(parsed("3*a..10") == "(mul 3 (seq a 10))");
    CHECK(parsed("-n..n") == "(seq (neg n) n)");
}

TEST_CASE("a function name between operands has the level of multiplication, unless it names an operator") {
    CHECK(parsed("2 add 3 sub 5 f 5") == "(sub (add 2 3) (f 5 5))");
    CHECK(parsed("1 + 2 f 3") == "(add 1 (f 2 3))");
    CHECK(parsed("3 {x, y -> x + y} 4") == "((lambda x y -> (add x y)) 3 4)");
    CHECK(parsed("v in 1 2 3") == "(in v #1 2 3#)");
    CHECK(parsed("x at x > 3") == "(at x (gt x 3))");
}

TEST_CASE("a function without brackets takes everything to its right") {
    CHECK(parsed("sum 1 2 3 == 6") == "(sum (eq #1 2 3# 6))");
    CHECK(parsed("sin x + cos x") == "(sin (add x (cos x)))");
    CHECK(parsed("sin(x) + cos(x)") == "(add (sin x) (cos x))");
    CHECK(parsed("isNull x || isNull y") == "(isNull (or x (isNull y)))");
    CHECK(parsed("2 * abs x + 1") == "(mul 2 (abs (add x 1)))");
    CHECK(parsed("max (2, [3, 5], 10)") == "(max (tuple 2 #3 5# 10))");
    CHECK(parsed("neg 3 + 5") == "(neg (add 3 5))");
}

TEST_CASE("only what is known of names tells a chain of prefix calls from an infix call") {
    CHECK(parsed("x f y") == "(f x y)");
    NameRoles functions = [](std::string_view name) {
        return name == "avg" || name == "sin" || name == "abs" ? NameRole::Function : NameRole::Unknown;
    };
    CHECK(parsed("avg sin abs v", functions) == "(avg (sin (abs v)))");
    CHECK(parsed("def twice(x): x * 2\nv = 3\ntwice twice v").find("(twice (twice v))") != std::string::npos);
    CHECK(parsed("avg -2.5", functions) == "(avg -2.5)");
    CHECK(parsed("avg = 5\navg plus 3", functions) == "(= avg 5)\n(plus avg 3)");
}

TEST_CASE("the signs - and ! bind tight, and a minus before a number belongs to the number") {
    CHECK(parsed("!x-1") == "(sub (not x) 1)");
    CHECK(parsed("1 -1 2") == "#1 -1 2#");
    CHECK(parsed("1 - 1") == "(sub 1 1)");
    CHECK(parsed("x -1") == "(sub x 1)");
    CHECK(parsed("-x.abs()") == "(neg (abs x))");
    CHECK(parsed("-5 + 3") == "(add -5 3)");
}

TEST_CASE("comparisons in a row mean that all hold") {
    CHECK(parsed("a < b <= c") == "(and (lt a b) (le b c))");
    CHECK(parsed("a < b <= c != d") == "(and (and (lt a b) (le b c)) (ne c d))");
    CHECK(parsed("(a < b) <= c") == "(le (lt a b) c)");
}

TEST_CASE("constants side by side make a vector of their common type, or a tuple") {
    CHECK(parsed("1 2 3") == "#1 2 3#");
    CHECK(parsed("1 2.5 NULL") == "#1.0 2.5 00F#");
    CHECK(parsed("2024.01.01 2024.01.02") == "#2024.01.01 2024.01.02#");
    CHECK(parsed("`A`B`C") == R"(#"A" "B" "C"#)");
    CHECK(parsed(R"("a b" 'cd')") == R"(#"a b" "cd"#)");
    CHECK(parsed("3 2024.01.01 `A") == R"((3, 2024.01.01, "A"))");
    CHECK(parsed("[3 6 1]") == "[ #3 6 1# ]");
    CHECK(parsed("(1, `a)") == R"((tuple 1 "a"))");
    CHECK(parsed("()") == "(tuple)");
    CHECK(parsed("(1,)") == "(tuple 1 ~)");
}

TEST_CASE("the suffix of a number sets its type") {
    CHECK(parsed("5h") == "5h");
    CHECK(parsed("5l") == "5l");
    CHECK(parsed("1b") == "true");
    CHECK(parsed("97c") == "'a'");
    CHECK(parsed("1.5f") == "1.5f");
    CHECK(parsed("2F") == "2.0");
    CHECK(parsed("3.14P") == "3.14P");
    CHECK(parsed("00i") == "00i");
    CHECK(parsed("00T") == "00T");
    CHECK(parsed("1e6") == "1e+06");
    CHECK(parsed(".5") == "0.5");
    CHECK(parsed("2147483648") == "2147483648l");
    CHECK(parsed("-2147483648") == "00i");
    CHECK(parsed("9223372036854775808l") == "9223372036854775807l");
    CHECK(parsed("2.3+4.0i") == "complex(2.3, 4.0)");
    CHECK(parsed("1+4i") == "(add 1 4)");
    CHECK(parsed("5ms") == "5ms");
    CHECK(parsed("3XNYS") == "3XNYS");
}

TEST_CASE("dates and times are literals of their own types") {
    auto typeOf = [](std::string_view text) {
        const NodeList nodes = parseScript(text);
        auto& statement = static_cast<ExpressionStatement&>(*nodes.at(0));
        return static_cast<Constant&>(*statement.expression).value.type();
    };
    CHECK(typeOf("2024.03.15") == Type::Date);
    CHECK(typeOf("2024.03M") == Type::Month);
    CHECK(typeOf("13:30m") == Type::Minute);
    CHECK(typeOf("13:30:10") == Type::Second);
    CHECK(typeOf("13:30:10.008") == Type::Time);
    CHECK(typeOf("13:30:10.008007006") == Type::NanoTime);
    CHECK(typeOf("13:30:10.008007") == Type::NanoTime);
    CHECK(typeOf("2024.03.15T13:30:10") == Type::DateTime);
    CHECK(typeOf("2024.03.15 13:30:10.008") == Type::Timestamp);
    CHECK(typeOf("2024.03.15T13:30:10.008007006") == Type::NanoTimestamp);
    CHECK(typeOf("5m") == Type::Duration);
    CHECK_THROWS_AS(parseScript("2024.02.30"), SyntaxError);
}

TEST_CASE("strings keep unknown escapes and may span lines") {
    CHECK(parsed(R"("a\"b\\c\d")") == R"("a\"b\\c\\d")");
    CHECK(parsed("\"a\nb\"") == R"("a\nb")");
    CHECK(parsed("'a'") == "'a'");
    CHECK(parsed("'ab'") == "\"ab\"");
    CHECK(parsed("`") == "\"\"");
}

TEST_CASE("an index may leave sides and slots out") {
    CHECK(parsed("x[a:b]") == "(at x (pair a b))");
    CHECK(parsed("x[:b]") == "(at x (pair ~ b))");
    CHECK(parsed("x[a:]") == "(at x (pair a ~))");
    CHECK(parsed("x[:]") == "(at x (pair ~ ~))");
    CHECK(parsed("t[, 1]") == "(at t ~ 1)");
    CHECK(parsed("t[1, , 0 2]") == "(at t 1 ~ #0 2#)");
    CHECK(parsed("x @ i") == "(eachAt x i)");
}

TEST_CASE("calls take positional, keyword and omitted arguments") {
    CHECK(parsed("f(1, b=2)") == "(f 1 b=2)");
    CHECK(parsed("f(, 3)") == "(f ~ 3)");
    CHECK(parsed("f(1,)") == "(f 1 ~)");
    CHECK(parsed("f{a, , c}(x)") == "({f a ~ c} x)");
    CHECK(parsed("x.f(y)") == "(f x y)");
    CHECK(parsed("x.f{a}(b)") == "({f x a} b)");
    CHECK(parsed("x.{f{a}}(b)") == "({f a} x b)");
    CHECK(parsed("v.{x -> x + 1}()") == "((lambda x -> (add x 1)) v)");
    CHECK(parsed("table(a as b, c)") == "(table a as b c)");
    CHECK(parsed("a::b::f(1)") == "(a::b::f 1)");
    CHECK(parsed("x\n  .f()\n  .g(2)") == "(g (f x) 2)");
}

TEST_CASE("members are columns, keys or computed") {
    CHECK(parsed("t.price") == "(member t price)");
    CHECK(parsed("t.\"a b\"") == "(member t a b)");
    CHECK(parsed("d.(k)") == "(member d k)");
    CHECK(parsed("d.1") == "(member d 1)");
}

TEST_CASE("braces hold functions, dictionaries or a function value") {
    CHECK(parsed("x = {a: 1, \"b c\": 2}") == R"((= x {dict "a":1 "b c":2}))");
    CHECK(parsed("{x -> x + 1}(3)") == "((lambda x -> (add x 1)) 3)");
    CHECK(parsed("x = {}") == "(= x {dict})");
    CHECK(parsed("each({def(x){ return x }}, y)") == "(each (lambda x -> (block return x)) y)");
}

TEST_CASE("operators and patterns are function values") {
    CHECK(parsed("reduce(+, x)") == "(reduce &add x)");
    CHECK(parsed("+:E(x, y)") == "(&add:E x y)");
    CHECK(parsed("x +:L y") == "(&add:L x y)");
    CHECK(parsed("f:EU m") == "(f:EU m)");
    CHECK(parsed("{x -> x}:E m") == "((lambda x -> x):E m)");
    CHECK(parsed("x -:R y") == "(&sub:R x y)");
}

TEST_CASE("a ternary has a simple condition and an else branch that reaches far") {
    CHECK(parsed("c ? a : b + 1") == "(if c a (add b 1))");
    CHECK(parsed("(a > b) ? 1 : c ? 2 : 3") == "(if (gt a b) 1 (if c 2 3))");
    CHECK(parsed("1 + c ? 2 : 3") == "(add 1 (if c 2 3))");
}

TEST_CASE("metacode ends where > cannot be a comparison") {
    CHECK(parsed("<1 + 2>") == "<(add 1 2)>");
    CHECK(parsed("x = <a > b>") == "(= x <(gt a b)>)");
    CHECK(parsed("eval(<x>3>)") == "(eval <(gt x 3)>)");
    CHECK(parsed("<a>.eval()") == "(eval <a>)");
    CHECK(parsed("f(<a>, <b>)") == "(f <a> <b>)");
    CHECK(parsed("x = <a>\ny = 1") == "(= x <a>)\n(= y 1)");
    CHECK(parsed("<select * from t where x > 3>") == "<select * from t where x > 3>");
    CHECK(parsed("<_$x + _$$y>") == "<(add _$x _$$y)>");
}

TEST_CASE("queries are read clause by clause") {
    auto same = [](std::string_view text) { CHECK(parsed(text) == text); };
    same("select [128] distinct top 10 a,b + 1 as c,* from t as u where a > 1,b == 2 && c == 3 group by d,e as f");
    same("exec a from t context by b csort c desc having sum(a) > 3 order by d asc nulls last limit 5, 10");
    same("select sum(x) from t pivot by a,b map");
    same("select a from t left join u as v on t.x == v.x cross join w");
    same("with x as (select 1) select * from x union all (select 2)");
    same("update t set a = b + 1, c = 2 where d > 1 context by e");
    same("delete from t where a in [1,2,3]");
    same("insert into t (a, b) values (1, \"x\"), (2, \"y\")");
    same("insert into t select a from u");
    same("select f(a) over (partition by b order by c asc rows between 2 preceding and current row) as d from t");
    same("select c1...c9 from t");
}

TEST_CASE("conditions of a query have words of their own") {
    auto where = [](const std::string& condition) {
        std::string text = parsed("select * from t where " + condition);
        return text.substr(text.find("where ") + 6);
    };
    CHECK(where("a = 1") == "a == 1");
    CHECK(where("a between 1 and 2 and b = 3") == "a between pair(1, 2) && b == 3");
    CHECK(where("a between 1:2") == "a between pair(1, 2)");
    CHECK(where("a not in (1, 2)") == "! (a in (1, 2))");
    CHECK(where("not a like \"x%\" or b is not null") == "! (a like \"x%\") or ! isNull(b)");
    CHECK(where("case when a > 1 then 2 else 3 end = b") == "iif(a > 1, 2, 3) == b");
    CHECK(where("_\"odd name\" > 1") == "_\"odd name\" > 1");
}

TEST_CASE("clause keywords may begin a line, be upper case, and be column names elsewhere") {
    CHECK(parsed("select a\nfrom t\nwhere b = 1\n  and c = 2\norder by a") ==
          "select a from t where b == 1 && c == 2 order by a asc");
    CHECK(parsed("SELECT a FROM t WHERE b = 1") == "select a from t where b == 1");
    CHECK(parsed("limit = 5\nleft = limit + 1") == "(= limit 5)\n(= left (add limit 1))");
    CHECK(parsed("select left(a, 2) from t") == "select left(a, 2) from t");
    CHECK(parsed("f(select a from t, b)") == "(f select a from t b)");
}

TEST_CASE("assignments have one or several targets") {
    CHECK(parsed("x = 1") == "(= x 1)");
    CHECK(parsed("a, b = f(x)") == "(= a b (f x))");
    CHECK(parsed("a, b = 1, 2") == "(= a b (tuple 1 2))");
    CHECK(parsed("x[1, 2] += 3") == "(+= (at x 1 2) 3)");
    CHECK(parsed("const x = 1") == "(= const x 1)");
    CHECK(parsed("&y = x") == "(= & y x)");
}

TEST_CASE("statements are read with their blocks") {
    auto same = [](std::string_view text) { CHECK(parsed(text) == text); };
    same("if (a) { b; } else { c; }");
    CHECK(parsed("if (a) b\nelse if (c) d") == "if (a) { b; } else { if (c) { d; }; }");
    CHECK(parsed("for (i in 1..3) { print(i)\n x += i }") == "for (i in 1..3) { print(i); x += i; }");
    CHECK(parsed("do { x += 1 } while (x < 3)") == "do { x += 1; } while (x < 3)");
    CHECK(parsed("try { f() } catch (ex) { print(ex) }") == "try { f(); } catch (ex) { print(ex); }");
    CHECK(parsed("def f(a, b=2) { return a, b }") == "def f(a, b=2) { return (a, b); }");
    CHECK(parsed("def f(a): a + 1\ndefg g(x) -> sum(x)") == "def f(a)->a + 1\ndefg g(x)->sum(x)");
    CHECK(parsed("@jit\ndef f(x) { return x }") == "@jit\ndef f(x) { return x; }");
    CHECK(parsed("timer(10) sum(x)") == "timer(10) { sum(x); }");
    CHECK(parsed("share t as shared") == "share t as shared");
    CHECK(parsed("undef all") == R"((undef "all"))");
    CHECK(parsed("use a::b\nmodule c") == "use a::b\nmodule c");
    CHECK(parsed("mapr f(x) { sum(x), count(x) -> a \\ b }") == "mapr f(x) { sum(x), count(x) -> a \\ b }");
    CHECK(parsed("class C : B { a :: INT\n b :: DOUBLE VECTOR\n def m(x) { return a + x } }") ==
          "class C : B { a :: INT; b :: DOUBLE VECTOR; def m(x) { return a + x; }; }");
    CHECK(parsed("throw \"x\"; assert 1 == 1; go") == "throw \"x\"\nassert 1 == 1\ngo");
}

TEST_CASE("definitions become the calls that do the same") {
    CHECK(
        parsed("create database \"dfs://x\" partitioned by VALUE(1..3), HASH([SYMBOL, 10]), engine='TSDB'") ==
        R"((database "dfs://x" COMPO (tuple (database "" VALUE (seq 1 3)) (database "" HASH #SYMBOL 10#)) engine="TSDB"))");
    CHECK(
        parsed("create table \"dfs://x\".\"t\" (a INT, b DATE[compress=\"delta\"]) partitioned by a, sortColumns=`a") ==
        R"((createPartitionedTable dbHandle=(database "dfs://x") table=(table (pair 0 0) #"a" "b"# #INT DATE#) )"
        R"(tableName="t" partitionColumns=[ "a" ] compressMethods={dict "b":"delta"} sortColumns="a"))");
    CHECK(parsed("drop table if exists \"dfs://x\".\"t\"") ==
          R"(if (existsTable("dfs://x", "t")) { dropTable(database("dfs://x"), "t"); })");
    CHECK(parsed("alter table t rename column a to b") == R"((rename! t "a" "b"))");
}

TEST_CASE("type names are constants that remember how they were written") {
    CHECK(parsed("x$INT") == "(cast x INT)");
    CHECK(parsed("array(INT[], 0)") == "(array INT[] 0)");
    CHECK(parsed("x$DECIMAL32(3)") == "(cast x DECIMAL32(3))");
}

TEST_CASE("a syntax error names the line and points at the token") {
    SyntaxError error = errorOf("x = 1\ny = (2 + \nz = 3");
    CHECK(std::string(error.what()).find("Syntax Error: [line #3]") == 0);
    CHECK(error.position.line == 3);
    CHECK(error.position.column == 3);
    CHECK(errorOf("x = )").position.column == 5);
    CHECK(errorOf("while (x) {}").position.column == 1);
    CHECK(std::string(errorOf("f(x = 1, 2)").what()).find("S06001") != std::string::npos);
    CHECK(std::string(errorOf("(a = 1)").what()).find("S06011") != std::string::npos);
    CHECK(std::string(errorOf("def f() { def g() { } }").what()).find("S06003") != std::string::npos);
    CHECK(std::string(errorOf("select top n from t").what()).find("integer constant expected after keyword top") !=
          std::string::npos);
}

TEST_CASE("a text that stops in the middle says so") {
    for (std::string_view text :
         {"x = (1 + ", "def f(x) {", "f(1,", "\"abc", "/* abc", "select a from", "x = 1 +", "if (a) {"}) {
        INFO(text);
        CHECK(errorOf(text).atEnd);
    }
    CHECK_FALSE(errorOf("x = )").atEnd);
}

TEST_CASE("deep nesting and long chains are refused, not fatal") {
    for (std::string_view bracket : {"(", "[", "{", "f(", "x[", "!", "-", "<", "if(1){", "x->", "abs "}) {
        std::string text;
        for (int i = 0; i < 20000; ++i) text += bracket;
        INFO(bracket);
        CHECK_THROWS_AS(parseScript(text), SyntaxError);
    }
    std::string chain = "1";
    for (int i = 0; i < 100000; ++i) chain += "+1";
    CHECK_THROWS_AS(parseScript(chain), SyntaxError);
}

TEST_CASE("any bytes are either parsed or refused") {
    uint32_t state = 12345;
    auto random = [&] { return state = state * 1664525 + 1013904223, state >> 8; };
    const std::string_view pieces[] = {
        "select ", "from ", "x",  "1",   "2.5", "`a", "\"s\"", "(", ")", "[", "]",    "{",          "}",
        ",",       ";",     "\n", "+",   "-",   "<",  ">",     "=", ".", ":", "?",    "->",         "def ",
        "if",      " ",     "@",  "_$x", "::",  "..", "by ",   "$", "!", "&", "\xff", "2024.01.01", "as "};
    for (int round = 0; round < 3000; ++round) {
        std::string text;
        for (uint32_t i = 0; i < random() % 30; ++i) text += pieces[random() % std::size(pieces)];
        INFO(text);
        try {
            parseScript(text);
        } catch (const SyntaxError&) {
        }
    }
    SUCCEED();
}

TEST_CASE("printed code parses back to the same code") {
    for (std::string_view text :
         {"f(1, , b=2)",
          "(a + b) * c",
          "a - (b - c)",
          "-(1)",
          "!(a && b)",
          "(a < b) < c",
          "a ? (b : c) : d",
          "x[a:, , :b]",
          "{x, y -> x + y}(1, 2)",
          "def (x) { y = x\n return y }",
          "f{a, , c}",
          "{x -> x}:EU",
          "<select a as b from t where c > 1>",
          "x.f(y).g()",
          "d.(k)",
          "t.\"a b\"",
          "[1 2 3, `a`b]",
          "(1 2 3)[0]",
          "1 2 3 + 4",
          "\"a\\nb\"",
          "{\"k\": 1 2, 3: (4, 5)}",
          "iif(a, b, c)",
          "(a + b).f()",
          "(-x).f()",
          "2024.01.01..2024.01.05",
          "a:b+1",
          "(<a>) + 1",
          "_\"x y\" + ::f(1)",
          "select * from (select a from t) as u where a in (exec b from v) order by a desc nulls first limit 3",
          "select a from (select top 2 count(*) x) > 10",
          "select a from ((select top 2 count(*) x) > 10)",
          "select (exec a from b) as c, (d ? e : select f from g), h from i",
          "select a from b where (exec c from d), (select e from f group by g) group by h",
          "select a from b order by (select c from d), e limit (exec f from g), (exec h from i)",
          "select a from b join c on (exec d from e) where f",
          "update a set b = (select c from d), e = (f ? g : select h from i) where (exec j from k), l",
          "f((a ? b : select c from d), e)",
          "f({x -> select y from x}, 2)",
          "f(a, (select b from c) as d)",
          "((select a from b group by c) as d)"}) {
        INFO(text);
        std::string once = toSource(*parseExpression(text));
        CHECK(toSource(*parseExpression(once)) == once);
        CHECK(shape(parseExpression(once)) == shape(parseExpression(text)));
    }
}
