#include "runtime/text/delimited_text.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <random>

#include "common/error.h"
#include "presentation/import/import_notice.h"
#include "presentation/import/text_blocks.h"
#include "runtime/text/temporal_text.h"
#include "runtime/value/print.h"
#include "tests/support/temporary_folder.h"

using namespace pelorus;
using namespace pelorus::text;

namespace {

Ref<MemoryTable> parsed(std::string_view bytes, TextReport* report = nullptr, TextOptions options = {}) {
    TextReport own;
    const TextHead head = readHead(bytes, options);
    return parseLines(bytes.substr(head.rowsBegin), detectSchema(bytes, options), options, head.firstLine,
                      report ? *report : own);
}

std::string typesOf(std::string_view bytes) {
    std::string text;
    for (const TextColumn& column : detectSchema(bytes, {})) {
        text += (text.empty() ? "" : " ") + column.name + ":" + std::string(typeName(column.type));
    }
    return text;
}

}  // namespace

TEST_CASE("types are detected from the fields") {
    REQUIRE(typesOf("a,b,c,d\n1,3000000000,1.5,x\n-2,4,2,y\n") == "a:INT b:LONG c:DOUBLE d:SYMBOL");
    REQUIRE(typesOf("a,b,c,d\n2024-01-02,2024/01/02,2024.01.02,20240102\n") == "a:DATE b:DATE c:DATE d:DATE");
    REQUIRE(typesOf("a,b,c,d\n09:30,09:30:01,09:30:01.123,09:30:01.123456\n") == "a:MINUTE b:SECOND c:TIME d:NANOTIME");
    REQUIRE(typesOf("a,b,c\n2024-01-02 09:30:00,2024.01.02T09:30:00.5,2024-01-02 09:30:00.123456789\n") ==
            "a:DATETIME b:TIMESTAMP c:NANOTIMESTAMP");
    REQUIRE(typesOf("a,b,c\n2024-03,true,2024.03\n") == "a:MONTH b:BOOL c:DOUBLE");
    REQUIRE(typesOf("a\n12345678\n20249999\n") == "a:INT");
}

TEST_CASE("a header is what has no numbers, and its names become valid and distinct") {
    REQUIRE(readHead("1_test,test-a!,[test],x,x\n1,2,3,4,5\n", {.header = Header::Yes}).names ==
            std::vector<std::string>{"c1_test", "test_a_", "c_test_", "x", "x_1"});
    REQUIRE(typesOf("a,1\nb,2\n") == "col0:SYMBOL col1:INT");
    REQUIRE(parsed("a,b\n")->rowCount() == 0);
    REQUIRE(parsed("a,b\n", nullptr, {.header = Header::No})->rowCount() == 1);
    REQUIRE(parsed("junk\n\na,b\n1,2\n", nullptr, {.skipLines = 2})->columns()[1].name == "b");
}

TEST_CASE("quoted fields hold delimiters, quotes and line breaks; lines end with LF or CRLF; a mark is skipped") {
    const auto table = parsed("\xEF\xBB\xBFname,n\r\n\"a, \"\"b\"\"\",1\r\n\"two\nlines\",2\r\nplain,3");
    REQUIRE(table->rowCount() == 3);
    REQUIRE(table->column(0).at(0).string() == "a, \"b\"");
    REQUIRE(table->column(0).at(1).string() == "two\nlines");
    REQUIRE(table->column(0).at(2).string() == "plain");
    REQUIRE(table->column(1).at(2).integer() == 3);
    REQUIRE(table->columns()[0].name == "name");
}

TEST_CASE("what does not read becomes NULL and is counted with the first place") {
    const TextOptions options;
    const TextSchema schema = {{"a", Type::Int, 0, "", 0}, {"b", Type::Double, 0, "", 1}, {"c", Type::Date, 0, "", 2}};
    TextReport report;
    const auto table = parseLines("1,2.5,2024-01-01\n,,\nx,1,2024-02-30\n7\n8,9,2024-01-03,more\n99999999999,1,\n",
                                  schema, options, 2, report);
    REQUIRE(table->rowCount() == 6);
    REQUIRE(report.badFields() == 3);
    REQUIRE(report.bad[0].count == 2);
    REQUIRE(report.bad[0].first == 4);
    REQUIRE(report.bad[0].text == "x");
    REQUIRE(report.bad[2].count == 1);
    REQUIRE(report.shortLines.count == 1);
    REQUIRE(report.shortLines.first == 5);
    REQUIRE(report.longLines.count == 1);
    REQUIRE(report.longLines.first == 6);
    REQUIRE(table->column(0).at(1).isNull());
    REQUIRE(table->column(0).at(2).isNull());
    REQUIRE(table->column(0).at(5).isNull());
    REQUIRE(table->column(2).at(2).isNull());
    REQUIRE(table->column(1).at(3).isNull());
    REQUIRE_THAT(importLosses({.path = "f.csv", .schema = schema, .report = report}),
                 Catch::Contains("f.csv:\n  a: 2 fields are no INT and became NULL, the first is \"x\" in line 4."));
}

TEST_CASE("numbers are read to the last bit") {
    std::mt19937_64 random(7);
    const TextSchema schema = {{"x", Type::Double, 0, "", 0}};
    for (int i = 0; i < 20000; ++i) {
        double x;
        const uint64_t bits = random();
        std::memcpy(&x, &bits, sizeof x);
        if (i % 2 == 0 || !std::isfinite(x)) x = static_cast<double>(random() % 100000000) / 1000;
        char written[40];
        std::snprintf(written, sizeof written, i % 3 == 0 ? "%.3f\n" : "%.17g\n", x);
        if (std::strlen(written) > 38) continue;
        TextReport report;
        const double read = parseLines(written, schema, {}, 1, report)->column(0).vector().data<double>()[0];
        REQUIRE(read == std::strtod(written, nullptr));
    }
}

TEST_CASE("dates and times are read in a format of their own") {
    int64_t stored;
    REQUIRE(TemporalPattern("MM/dd/yyyy", Type::Date).parse("03/15/2024", stored));
    REQUIRE(stored == 19797);
    REQUIRE(TemporalPattern("d-MMM-yy", Type::Date).parse("5-Mar-24", stored));
    REQUIRE(stored == 19787);
    REQUIRE(TemporalPattern("yyyyMMddHHmmssSSS", Type::Timestamp).parse("20240315093000123", stored));
    REQUIRE(stored == (int64_t{19797} * 86400 + 34200) * 1000 + 123);
    REQUIRE(TemporalPattern("hh:mm aa", Type::Minute).parse("01:05 PM", stored));
    REQUIRE(stored == 13 * 60 + 5);
    REQUIRE_FALSE(TemporalPattern("MM/dd/yyyy", Type::Date).parse("13/15/2024", stored));
    REQUIRE_FALSE(TemporalPattern("MM/dd/yyyy", Type::Date).parse("03/15/2024x", stored));
    REQUIRE_THROWS_AS(TemporalPattern("HH:mm", Type::Date), UserError);
}

TEST_CASE("a schema may read some of the fields") {
    const TextSchema schema = {{"b", Type::Long, 0, "", 1}, {"d", Type::String, 0, "", 3}};
    TextReport report;
    const auto table = parseLines("1,2,3,4\n5,6,7,8\n", schema, {}, 1, report);
    REQUIRE(table->columnCount() == 2);
    REQUIRE(table->column(0).at(1).integer() == 6);
    REQUIRE(table->column(1).at(1).string() == "8");
    REQUIRE(report.longLines.count == 0);
}

TEST_CASE("parallel pieces and blocks of a file give the rows of one pass, lines counted alike") {
    std::mt19937_64 random(8);
    for (const bool quotes : {false, true}) {
        std::string bytes = "id,text,x\n";
        for (int i = 0; i < 200000; ++i) {
            bytes += std::to_string(i);
            if (quotes && random() % 5 == 0)
                bytes += ",\"line\nbreak, \"\"" + std::to_string(random() % 10) + "\"\"\",";
            else
                bytes += ",word" + std::to_string(random() % 100) + ",";
            bytes += i == 150000 ? "bad" : std::to_string(random() % 1000);
            bytes += '\n';
        }
        const TextSchema schema = {
            {"id", Type::Int, 0, "", 0}, {"text", Type::String, 0, "", 1}, {"x", Type::Int, 0, "", 2}};
        TextReport one, parallel, inBlocks;
        const std::string_view lines = std::string_view(bytes).substr(10);
        const auto expected = parseLines(lines, schema, {}, 2, one);
        REQUIRE(expected->rowCount() == 200000);
        REQUIRE(one.badFields() == 1);
        const auto same = [&](const MemoryTable& table, const TextReport& report) {
            REQUIRE(table.rowCount() == 200000);
            REQUIRE(report.bad[2].first == one.bad[2].first);
            for (int64_t i = 0; i < 200000; i += 37) {
                for (int c = 0; c < 3; ++c) REQUIRE(identical(table.column(c).at(i), expected->column(c).at(i)));
            }
        };
        TemporaryFolder folder;
        FileSystem::posix().create(folder / "f.csv")->append(bytes);
        TextBlocks whole(FileSystem::posix().openForRead(folder / "f.csv"), {}, 50000);
        same(*parseBlocks(whole, SIZE_MAX, schema, parallel), parallel);
        TextBlocks blocks(FileSystem::posix().openForRead(folder / "f.csv"), {}, 100000);
        Ref<MemoryTable> all;
        while (const auto rows = parseBlocks(blocks, 300000, schema, inBlocks)) {
            if (all)
                all->append(*rows);
            else
                all = rows;
        }
        same(*all, inBlocks);
    }
}

// A quoted line is read field by field, one without quotes column by column.
TEST_CASE("lines read column by column give what the same lines quoted give") {
    const char* const kPieces[] = {"",
                                   "0",
                                   "-0",
                                   "7",
                                   "12",
                                   "-345",
                                   "12345678",
                                   "123456789",
                                   "2147483648",
                                   "-128",
                                   "127",
                                   "128",
                                   "32768",
                                   "1.5",
                                   "-.25",
                                   ".",
                                   "5.",
                                   "-",
                                   "1.2.3",
                                   "1e3",
                                   "nan",
                                   "+4",
                                   " 9 ",
                                   "12345.67",
                                   "1234567.8",
                                   "0.1",
                                   "a",
                                   "abc",
                                   "AAPL",
                                   "GOOGLE",
                                   "a longer text than sixteen",
                                   "007",
                                   "00",
                                   "000000000001",
                                   "00.5",
                                   "12345678901234567",
                                   "12345678901234567890",
                                   "1e39",
                                   "09:30:00",
                                   "23:59:59",
                                   "24:00:00",
                                   "9:30:00",
                                   "09:30",
                                   "09-30-00",
                                   "2024-03-15",
                                   "2024.03.15",
                                   "20240315",
                                   "2024-02-30",
                                   "09:30:00.123",
                                   "x\xc3\xa9"};
    const Type kTypes[] = {Type::Char,   Type::Short,  Type::Int,  Type::Long,   Type::Float,  Type::Double,
                           Type::Symbol, Type::String, Type::Date, Type::Second, Type::Minute, Type::Bool};
    TextSchema schema;
    for (const Type type : kTypes) {
        const int field = static_cast<int>(schema.size());
        schema.push_back({"c" + std::to_string(field), type, 0, "", field});
        schema.back().isDetected = field % 2 == 0;  // leading zeros are reported
    }
    schema.push_back({"detected", Type::Double, 0, "", static_cast<int>(schema.size()), false, false, true});
    std::mt19937_64 random(10);
    for (const std::string lineEnd : {"\n", "\r\n"}) {
        std::string plain, quoted;
        for (int row = 0; row < 20000; ++row) {
            // Some lines are too short, too long, or blank.
            const uint64_t shape = random() % 50;
            const size_t fields = schema.size() - (shape == 0) + (shape == 1);
            for (size_t f = 0; f < fields; ++f) {
                const std::string piece = kPieces[random() % std::size(kPieces)];
                plain += (f > 0 ? "," : "") + piece;
                quoted += (f > 0 ? ",\"" : "\"") + piece + "\"";
            }
            if (shape == 2) plain += lineEnd, quoted += lineEnd;
            plain += lineEnd;
            quoted += lineEnd;
        }
        TextReport inColumns, inFields;
        const auto table = parseLines(plain, schema, {}, 1, inColumns);
        const auto expected = parseLines(quoted, schema, {}, 1, inFields);
        REQUIRE(table->rowCount() == expected->rowCount());
        const auto told = [&](const TextReport& report) {
            return importNotice({.path = "f", .schema = schema, .report = report});
        };
        REQUIRE(told(inColumns) == told(inFields));
        REQUIRE(inColumns.lines == inFields.lines);
        for (int c = 0; c < table->columnCount(); ++c) {
            for (int64_t i = 0; i < table->rowCount(); ++i) {
                if (identical(table->column(c).at(i), expected->column(c).at(i))) continue;
                INFO("column " << c << ", row " << i);
                REQUIRE(identical(table->column(c).at(i), expected->column(c).at(i)));
            }
        }
    }
}

TEST_CASE("digits that a column does not keep are counted with the first place") {
    TextReport report;
    const TextSchema schema = {{"code", Type::Int, 0, "", 0, false, false, true}, {"id", Type::Double, 0, "", 1}};
    const auto table =
        parseLines("1,1.5\n007,9007199254740993\n0,9007199254740992\n00,12345678901234567890\n", schema, {}, 2, report);
    REQUIRE(table->column(0).at(1).integer() == 7);
    REQUIRE(report.badFields() == 0);
    REQUIRE(report.rounded[0].count == 2);
    REQUIRE(report.rounded[0].first == 3);
    REQUIRE(report.rounded[0].text == "007");
    REQUIRE(report.rounded[1].count == 2);
    REQUIRE(report.rounded[1].text == "9007199254740993");
    REQUIRE_THAT(importLosses({.path = "f.csv", .schema = schema, .report = report}),
                 Catch::Contains("code: 2 fields have digits that INT does not keep, the first is \"007\" in line 3"));
}

TEST_CASE("what is written is read back") {
    const auto table = parsed("a,b,c,d\n1,1.5,2024-01-01,x\n,,,\n-3,0.1,1999-12-31,\"q\"\"uo,te\nd\"\n");
    std::string bytes;
    writeHeader(table->columns(), ',', bytes);
    writeLines(*table, ',', bytes);
    const auto back = parsed(bytes);
    REQUIRE(back->rowCount() == 3);
    for (int c = 0; c < 4; ++c) {
        for (int64_t i = 0; i < 3; ++i) REQUIRE(identical(table->column(c).at(i), back->column(c).at(i)));
    }
}

TEST_CASE("a column that nearly reads as another type is found, with its first field that does not") {
    const auto oddOf = [](std::string_view bytes) {
        std::vector<OddColumn> odd;
        detectSchema(bytes, {}, &odd);
        return odd;
    };
    const std::string bytes = "a,b,c\n1,x,2024-01-05\n2,y,2024-01-06\n-,1,2024-01-07\n4,2,?\n-,z,2024-01-07\n";
    const std::vector<OddColumn> odd = oddOf(bytes);
    REQUIRE(odd.size() == 2);
    REQUIRE(odd[0].column == 0);
    REQUIRE(odd[0].type == Type::Int);
    REQUIRE(odd[0].count == 2);
    REQUIRE(bytes.substr(static_cast<size_t>(odd[0].offset), 4) == "-,1,");
    REQUIRE(odd[1].column == 2);
    REQUIRE(odd[1].type == Type::Date);
    REQUIRE(odd[1].text == "?");
    REQUIRE(oddOf("a,b\nx,1\n2,2\n").empty());  // half of the fields say nothing
    const auto formatOf = [&](const std::string& fields) {
        const std::vector<OddColumn> columns = oddOf("d\n" + fields);
        return columns.empty() ? "" : columns[0].format + "|" + columns[0].otherFormat;
    };
    REQUIRE(formatOf("01/05/2024\n") == "MM/dd/yyyy|dd/MM/yyyy");
    REQUIRE(formatOf("n/a\n01/05/2024\n01/06/2024\n") == "MM/dd/yyyy|dd/MM/yyyy");
    REQUIRE(formatOf("01/05/2024\n13/05/2024\n") == "dd/MM/yyyy|");
    REQUIRE(formatOf("1/15/2024 10:00:00.123\n") == "M/d/yyyy HH:mm:ss.SSS|");
    REQUIRE(formatOf("1.5.2024\n") == "d.M.yyyy|M.d.yyyy");
    REQUIRE(formatOf("05-Mar-2024\n") == "d-MMM-yyyy|");
    REQUIRE(formatOf("word\nother\n") == "");
}

TEST_CASE("what an import tells is bounded, however many columns have faults") {
    ImportSummary summary{.path = "f.csv", .isDetected = true};
    for (size_t c = 0; c < 1000; ++c) {
        const std::string name = "c" + std::to_string(c);
        summary.head.names.push_back(name);
        summary.head.headings.push_back(std::to_string(c));
        summary.schema.push_back({name, Type::Symbol, 0, "", static_cast<int>(c)});
        summary.odd.push_back({.column = c, .type = Type::Int, .count = 1, .text = "x", .line = 7});
        summary.report.noteBad(c, "y", 9);
    }
    const std::string notice = importNotice(summary);
    REQUIRE(notice.size() < 2500);
    REQUIRE_THAT(notice, Catch::Contains("\"4\" is c4 and 995 more.") &&
                             Catch::Contains("c4 is SYMBOL because of \"x\" in line 7.") &&
                             Catch::Contains("995 more columns are like that.") &&
                             Catch::Contains("995 more columns have such fields.") &&
                             Catch::Contains("s = extractTextSchema(\"f.csv\");"));
    REQUIRE(importNotice({.path = "f.csv"}).empty());
}

TEST_CASE("a delimiter is what the first lines have equally often, where commas do not") {
    REQUIRE(detectDelimiter("a;b\n1;2\n", {}) == ';');
    REQUIRE(detectDelimiter("a\tb\tc\n1\t2\t3", {}) == '\t');
    REQUIRE(detectDelimiter("\xEF\xBB\xBF\"a,b\"|c\r\n\r\n1|2\r\n", {}) == '|');
    REQUIRE(detectDelimiter("a;b\n1;2,5\n", {}) == ';');
    REQUIRE(detectDelimiter("a;b,c\n1;2,3\n", {}) == ',');
    REQUIRE(detectDelimiter("1,5;2,5\n3,5;4,5\n", {}) == ';');
    REQUIRE(detectDelimiter("1,x;2\n3,y;4\n", {}) == ',');
    REQUIRE(detectDelimiter("a;b\n1\n", {}) == ',');
    REQUIRE(detectDelimiter("a;b\n", {}) == ',');
    REQUIRE(detectDelimiter("", {}) == ',');
    REQUIRE(detectDelimiter("title, of it\na;b\n1;2\n", {.skipLines = 1}) == ';');
}

TEST_CASE("broken text never crashes") {
    std::mt19937_64 random(9);
    const std::string letters = "1,2.-:\"\"\n\r x2024eE+/";
    for (int round = 0; round < 3000; ++round) {
        std::string bytes;
        for (size_t n = random() % 200; n > 0; --n) bytes += letters[random() % letters.size()];
        try {
            const TextHead head = readHead(bytes, {});
            std::vector<OddColumn> odd;
            const TextSchema schema = detectSchema(bytes, {.delimiter = detectDelimiter(bytes, {})}, &odd);
            TextReport report;
            parseLines(std::string_view(bytes).substr(head.rowsBegin), schema, {}, 1, report);
            const TextSchema strict = {
                {"a", Type::Timestamp, 0, "", 0}, {"b", Type::Uuid, 0, "", 1}, {"c", Type::Char, 0, "", 2}};
            parseLines(bytes, strict, {}, 1, report);
        } catch (const UserError&) {
        }
    }
}
