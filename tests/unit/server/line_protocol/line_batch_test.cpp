// Lines become rows: every form of value, escapes, columns that come and go, and what is refused.
#include "server/line_protocol/line_batch.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "runtime/value/array_vector.h"
#include "tests/unit/server/line_protocol/line_input.h"

using namespace pelorus;
using namespace pelorus::testing;

namespace {

// The rows of one table.
class Lines {
public:
    explicit Lines(const std::string& string) : batch_(tags_, catalog_) { batch_.add(string, true); }

    Ref<MemoryTable> table(size_t number = 0) {
        const auto& rows = *batch_.tables().at(number);
        return rows.build(schemaOf(rows), {});
    }
    std::string cell(const std::string& column, int64_t row = 0, size_t number = 0) {
        return toString(table(number)->column(column)->at(row));
    }
    const LineBatch& batch() const { return batch_; }

private:
    MadeUpTables catalog_;
    TagSets tags_;
    LineBatch batch_;
};

std::string errorOf(const std::string& string, bool mayAddColumns = true) {
    MadeUpTables catalog;
    catalog.mayAddColumns = mayAddColumns;
    TagSets tags;
    LineBatch batch(tags, catalog);
    try {
        batch.add(string, true);
    } catch (const UserError& error) {
        return std::to_string(batch.errorLine()) + ": " + error.what();
    }
    return "";
}

std::string binary(double x) {
    std::string bytes = "=\x10";
    bytes.append(reinterpret_cast<const char*>(&x), sizeof x);
    return bytes;
}

}  // namespace

TEST_CASE("each kind of field makes a column of its type") {
    Lines lines("t,host=a l=58i,d=1.5,e=-1e3,b=t,c=FALSE,s=\"x\",u=5t,n=7n,bin=" + binary(2.5) + " 42");
    const Ref<MemoryTable> table = lines.table();
    const auto typeOf = [&](const char* name) { return table->column(name)->type(); };
    REQUIRE(typeOf("host") == Type::Symbol);
    REQUIRE(typeOf("timestamp") == Type::NanoTimestamp);
    REQUIRE(typeOf("l") == Type::Long);
    REQUIRE(typeOf("bin") == Type::Double);
    REQUIRE(lines.cell("l") == "58");
    REQUIRE(lines.cell("e") == "-1000");
    REQUIRE(lines.cell("b") == "true");
    REQUIRE(lines.cell("c") == "false");
    REQUIRE(lines.cell("s") == "x");
    REQUIRE(table->column("u")->at(0).asLong() == 5000);
    REQUIRE(table->column("n")->at(0).asLong() == 7);
    REQUIRE(table->column("timestamp")->at(0).asLong() == 42);
    REQUIRE(lines.cell("bin") == "2.5");
}

TEST_CASE("escapes are undone in names, tags and strings") {
    Lines lines("my\\ table,a\\,b=c\\=d\\ e x\\=y=\"say \\\"hi\\\" \\\\ \\\nnext\\n\" 1");
    const Ref<MemoryTable> table = lines.table();
    REQUIRE(lines.batch().tables()[0]->name() == "my table");
    REQUIRE(lines.cell("a,b") == "c=d e");
    REQUIRE(lines.cell("x=y") == "say \"hi\" \\ \nnext\\n");
}

TEST_CASE("a missing field is NULL in its row, in any order of fields and lines") {
    Lines lines("t a=1i,b=2i 1\nt b=3i 2\nt c=\"x\",a=4i 3\n# comment\n\nt,tag=x c=\"y\" 4\n");
    REQUIRE(lines.batch().rowCount() == 4);
    const Ref<MemoryTable> table = lines.table();
    REQUIRE(table->column("a")->vector().isNullAt(1));
    REQUIRE(lines.cell("a", 2) == "4");
    REQUIRE(table->column("b")->vector().isNullAt(3));
    REQUIRE(lines.cell("c", 0).empty());
    REQUIRE(lines.cell("c", 3) == "y");
    REQUIRE(lines.cell("tag", 0).empty());
    REQUIRE(lines.cell("tag", 3) == "x");
}

TEST_CASE("a value goes into a column of another type where it fits exactly") {
    for (const char* good :
         {"known c=127i", "known c=-127i", "known s=5.0", "known i=2147483647i", "known l=9007199254740992.0",
          "known f=0.5", "known f=16777216i", "known d=9007199254740992i", "known ms=1000t", "known ns=1n",
          "known sym=\"x\"", "known c=NaN", "known,sym=a l=1i", "known,text=a l=1i"}) {
        INFO(good);
        REQUIRE(errorOf(good).empty());
    }
    for (const char* bad :
         {"known c=128i", "known c=-128i", "known s=5.5", "known i=2147483648i", "known l=1e19", "known f=0.1",
          "known f=16777217i", "known d=9007199254740993i", "known d=9223372036854775807i", "known ms=1t",
          "known ns=1i", "known b=1i", "known text=1i", "known l=t", "known day=1i", "known a=1.5", "known,l=x d=1",
          "known at=1n", "known d=\"1\""}) {
        INFO(bad);
        REQUIRE_FALSE(errorOf(bad).empty());
    }
}

TEST_CASE("an array of one dimension is a row of an array vector") {
    const double elements[] = {1, 2.5};
    std::string array("=\x0e\x0a\x01\x02\0\0\0", 8);
    array.append(reinterpret_cast<const char*>(elements), sizeof elements);
    Lines lines("t a=" + array + " 1\nt b=1i 2\n");
    const Ref<MemoryTable> table = lines.table();
    const ArrayVector& rows = table->column("a")->arrayVector();
    REQUIRE(rows.rowSize(0) == 2);
    REQUIRE(rows.values()->asDouble(1) == 2.5);
    REQUIRE(rows.rowSize(1) == 1);
    REQUIRE(rows.values()->isNullAt(2));
}

TEST_CASE("an array of two dimensions is a row of its elements, its lengths a row of another column") {
    const double elements[] = {1, 2, 3, 4, 5, 6};
    std::string array("=\x0e\x0a\x02\x02\0\0\0\x03\0\0\0", 12);
    array.append(reinterpret_cast<const char*>(elements), sizeof elements);
    Lines lines("t b=1i 1\nt a=" + array + " 2\n");
    const Ref<MemoryTable> table = lines.table();
    REQUIRE(table->column("a")->arrayVector().rowSize(1) == 6);
    const ArrayVector& shape = table->column("a_shape")->arrayVector();
    REQUIRE(shape.rowSize(0) == 1);
    REQUIRE(shape.values()->isNullAt(0));
    REQUIRE(shape.rowSize(1) == 2);
    REQUIRE(shape.values()->asDouble(1) == 2);
    REQUIRE(shape.values()->asDouble(2) == 3);
    array[3] = '\0';
    REQUIRE(errorOf("t a=" + array + " 1").find("dimension") != std::string::npos);
}

TEST_CASE("a refused line leaves no value behind, and names itself") {
    MadeUpTables catalog;
    TagSets tags;
    LineBatch batch(tags, catalog);
    REQUIRE_THROWS_AS(batch.add("t,x=1 a=1i,s=\"one\" 1\nt,y=1 a=2i,s=\"two\",new=1i,a=3i 2\n", true), LineError);
    REQUIRE(batch.errorLine() == 2);
    REQUIRE(batch.errorTable() == "t");
    REQUIRE(batch.rowCount() == 1);
    const auto& rows = *batch.tables()[0];
    const Ref<MemoryTable> table = rows.build(schemaOf(rows), {});
    REQUIRE(table->columnCount() == 4);  // x, timestamp, a, s: neither y nor new
    REQUIRE(table->rowCount() == 1);
}

TEST_CASE("rights are asked for before anything is taken") {
    REQUIRE(errorOf("forbidden a=1i").find("<NoPrivilege>") != std::string::npos);
    REQUIRE(errorOf("known l=1i,more=1i", false).find("1: <NoPrivilege>") != std::string::npos);
    REQUIRE(errorOf("known,more=1 l=1i", false).find("1: <NoPrivilege>") != std::string::npos);
    REQUIRE(errorOf("known l=1i", false).empty());
    REQUIRE(errorOf("new l=1i", false).empty());
}

TEST_CASE("rows are built in the order of tags and time") {
    std::string string;
    for (const char* row : {"b v=1i 5", "a v=2i 9", "a v=3i 4", "b v=4i 1", "a v=5i 4"})
        string += std::string("t,h=") + row + '\n';
    Lines lines(string);
    const auto& rows = *lines.batch().tables()[0];
    const Ref<MemoryTable> table = rows.build(schemaOf(rows), {"h", "timestamp"});
    std::string order;
    for (int64_t i = 0; i < 5; ++i) order += toString(table->column("v")->at(i));
    REQUIRE(order == "35241");
}

TEST_CASE("tag sets are found again, and forgotten when they are too many") {
    MadeUpTables catalog;
    TagSets tags;
    for (int round = 0; round < 2; ++round) {
        LineBatch batch(tags, catalog);
        std::string string;
        for (int i = 0; i < 100; ++i) string += "t,h=h" + std::to_string(i % 10) + " v=1i 1\n";
        batch.add(string, true);
        REQUIRE(tags.size() == 10);
    }
    std::string many;
    for (int i = 0; i < 200'000; ++i) many += "t,h=" + std::string(100, 'x') + std::to_string(i) + " v=1i 1\n";
    LineBatch(tags, catalog).add(many, true);
    LineBatch batch(tags, catalog);
    REQUIRE(tags.size() == 0);
    batch.add("t,h=a v=1i 1\n", true);
    REQUIRE(batch.rowCount() == 1);
}

TEST_CASE("lines mean the same whole and in pieces, and hostile ones end with an error") {
    const std::string seeds[] = {
        "t,h=a,r=b v=1i,w=2.5,s=\"x y\",b=t 1700000000000000000\nt,h=c v=2i 2\n",
        "known,host=x c=1i,s=2i,i=3i,l=4i,f=0.5,d=1,b=f,text=\"q\\\"\\\\\",ms=1000t,ns=5n,sym=\"z\" 7n\n",
        "a\\ b,c\\,d=e\\=f g\\ h=\"\\\n\" 1t\r\n# comment\n\nx y=1",
        "t v=" + binary(1.5) + ",w==\x0e\x0a\x01" + std::string("\x01\0\0\0", 4) + std::string(8, '\n') + " 9\nt v=3\n",
        "forbidden x=1i\n",
        "known more=1i,at=5n\n"};
    std::mt19937 draw(7);
    const std::string special = " ,=\\\"\n\r#itnfeE.-+0129\x10\x0e\x0a\x01";
    size_t rows = 0, errors = 0;
    for (int i = 0; i < 20'000; ++i) {
        std::string string = seeds[draw() % std::size(seeds)];
        if (draw() % 3 == 0) string += seeds[draw() % std::size(seeds)];
        for (auto changes = draw() % 4; changes > 0; --changes) {
            const size_t at = draw() % (string.size() + 1);
            switch (draw() % 4) {
                case 0:
                    string.insert(at, 1, special[draw() % special.size()]);
                    break;
                case 1:
                    string.erase(at, draw() % 5);
                    break;
                case 2:
                    if (at < string.size()) string[at] = static_cast<char>(draw());
                    break;
                default:
                    string.insert(at, string.substr(draw() % string.size(), draw() % 20));
            }
        }
        INFO(string);
        REQUIRE_NOTHROW(checkLineInput(string));
        const ReadLines read = readLines(string, string.size() + 1);
        rows += static_cast<size_t>(read.count);
        errors += read.error.empty() ? 0 : 1;
    }
    REQUIRE(rows > 10'000);
    REQUIRE(errors > 1'000);
}

TEST_CASE("what the fuzzer of lines once found stays mended") {
    size_t count = 0;
    for (const auto& file : std::filesystem::directory_iterator(PELORUS_LINE_CORPUS)) {
        std::ifstream input(file.path(), std::ios::binary);
        std::stringstream bytes;
        bytes << input.rdbuf();
        INFO(file.path());
        REQUIRE_NOTHROW(checkLineInput(bytes.str()));
        ++count;
    }
    REQUIRE(count > 0);
}

TEST_CASE("a line that is too long leaves no row, and those before it stay") {
    MadeUpTables catalog;
    TagSets tags;
    LineBatch batch(tags, catalog);
    std::string field = "big f=\"" + std::string(LineBatch::kMaxLineBytes, 'x') + "\" 2\n";
    REQUIRE_THROWS_AS(batch.add("t,k=a v=1 1\n" + field, true), UserError);
    int64_t rows = 0;
    for (const auto& table : batch.tables()) rows += table->rowCount();
    CHECK(rows == 1);
    CHECK(batch.rowCount() == 1);
}
