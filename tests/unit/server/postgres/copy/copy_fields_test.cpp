#include "server/postgres/copy/copy_fields.h"

#include <catch2/catch.hpp>

#include "postgres/sql_error.h"

using namespace pelorus::postgres;

namespace {

// The rows of the bytes, given in pieces of this size: fields with | between, rows with ;, NULL as -.
std::string cut(const CopyForm& form, std::string_view bytes, size_t piece, size_t columns = 2) {
    std::string rows;
    const auto take = [&](std::span<const CopyField> fields) {
        for (size_t i = 0; i < fields.size(); ++i)
            rows += (i > 0 ? "|" : "") + (fields[i].isNull ? "-" : std::string(fields[i].bytes));
        rows += ';';
    };
    const auto fields = makeCopyFields(form, columns);
    for (size_t at = 0; at < bytes.size(); at += piece) fields->feed(bytes.substr(at, piece), take);
    fields->finish(take);
    return rows;
}

std::string cutAlike(const CopyForm& form, std::string_view bytes) {
    const std::string whole = cut(form, bytes, bytes.size());
    for (const size_t piece : {1, 2, 3, 7}) CHECK(cut(form, bytes, piece) == whole);
    return whole;
}

std::string stateOf(const CopyForm& form, std::string_view bytes) {
    try {
        return cut(form, bytes, bytes.size());
    } catch (const SqlError& error) {
        return error.state();
    }
}

}  // namespace

TEST_CASE("lines of text are cut into fields") {
    const CopyForm form;
    CHECK(cutAlike(form, "a\tb\n\\N\t\n") == "a|b;-|;");
    CHECK(cutAlike(form, "a\\tb\\\\\t\\x41\\101\\q\r\n") == "a\tb\\|AAq;");
    CHECK(cutAlike(form, "a\\\nb\tc\nlast\tline") == "a\nb|c;last|line;");
    CHECK(cutAlike(form, "\\\\\\\nx\ty\n\\.\nmore\n") == "\\\nx|y;");
    CHECK(cutAlike(form, "\\\\N\t\\\\\n") == "\\N|\\;");
    CHECK(cutAlike(form, "\n\t\t\n") == ";||;");
}

TEST_CASE("CSV has fields in quotes") {
    CopyForm form;
    form.kind = CopyForm::Kind::Csv;
    form.delimiter = ',';
    form.null.clear();
    CHECK(cutAlike(form, "a,\"b,\n\"\"c\"\"\"\r\n,\"\"\n") == "a|b,\n\"c\";-|;");
    CHECK(cutAlike(form, "a\"b\"c,d\nlast,") == "abc|d;last|-;");
    CHECK(cutAlike(form, "a\r,\n\r,\r\n\"b\r\",\"c\r\"\r\n") == "a\r|-;\r|-;b\r|c\r;");
    CHECK(cutAlike(form, "1,2\n\\.\n3,4\n") == "1|2;");
    CHECK(stateOf(form, "a,\"b\n") == "22P04");
    form.escape = '\\';
    form.hasHeader = true;
    CHECK(cutAlike(form, "x,y\n\"a\\\"b\\c\",\"\"\n") == "a\"b\\c|;");
}

TEST_CASE("binary rows have the lengths of their fields") {
    CopyForm form;
    form.kind = CopyForm::Kind::Binary;
    const std::string head("PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0", 19);
    const std::string row("\0\2\0\0\0\1a\xff\xff\xff\xff", 11), end("\xff\xff", 2);
    CHECK(cutAlike(form, head + row + row + end) == "a|-;a|-;");
    CHECK(cutAlike(form, head) == "");
    CHECK(stateOf(form, head + row.substr(0, 6)) == "22P04");
    CHECK(stateOf(form, head.substr(0, 12)) == "22P04");
    CHECK(stateOf(form, "PGDUMP and so on, and on") == "22P04");
    CHECK(stateOf(form, head + std::string("\0\1\xff\xff\xff\xf0", 6)) == "22P04");
}
