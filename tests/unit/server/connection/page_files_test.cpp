#include "server/connection/page_files.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "common/error.h"
#include "common/io/gunzip.h"
#include "tests/support/temporary_folder.h"

using namespace pelorus;

namespace {

HttpRequest get(std::vector<std::pair<std::string, std::string>> headers = {}) {
    HttpRequest request;
    request.method = "GET";
    request.headers = std::move(headers);
    return request;
}

const std::pair<std::string, std::string> kBrowser = {"accept", "text/html,application/xhtml+xml,*/*;q=0.8"};

std::string headerOf(const HttpResponse& response, const std::string& name) {
    for (const auto& [one, value] : response.headers)
        if (one == name) return value;
    return "";
}

}  // namespace

TEST_CASE("a browser gets the page, and other clients do not") {
    const PageFiles page("");
    const auto answer = page.answer(get({kBrowser}), "/");
    REQUIRE(answer);
    CHECK(answer->contentType == "text/html; charset=utf-8");
    CHECK(answer->body.find("/page/page.js") != std::string::npos);
    CHECK_FALSE(page.answer(get(), "/"));
    CHECK_FALSE(page.answer(get({{"accept", "*/*"}}), "/"));
}

TEST_CASE("the page allows nothing that is inline or foreign, and no frame") {
    const auto answer = PageFiles("").answer(get({kBrowser}), "/");
    REQUIRE(answer);
    const std::string policy = headerOf(*answer, "Content-Security-Policy");
    CHECK(policy.find("default-src 'none'") != std::string::npos);
    CHECK(policy.find("frame-ancestors 'none'") != std::string::npos);
    CHECK(policy.find("unsafe") == std::string::npos);
    CHECK(answer->body.find("<style") == std::string::npos);
    CHECK(answer->body.find("onload") == std::string::npos);
}

TEST_CASE("the script of the work is sent packed, too") {
    const PageFiles page("");
    const auto packed = page.answer(get({{"accept-encoding", "gzip"}}), "/page/work.js");
    REQUIRE(packed);
    CHECK(packed->body.size() < 400 * 1024);
}

TEST_CASE("files of the page are sent packed to those who take it, and not again while they have them") {
    const PageFiles page("");
    const auto plain = page.answer(get(), "/page/page.js"),
               packed = page.answer(get({{"accept-encoding", "gzip, br"}}), "/page/page.js");
    REQUIRE((plain && packed));
    CHECK(plain->contentType == "text/javascript; charset=utf-8");
    CHECK(headerOf(*packed, "Content-Encoding") == "gzip");
    CHECK(packed->body.size() < 400 * 1024);
    std::string inflated;
    CHECK(gunzip(packed->body, 8 << 20, inflated) == GunzipResult::Done);
    CHECK(inflated == plain->body);
    const auto known = page.answer(get({{"if-none-match", headerOf(*plain, "ETag")}}), "/page/page.js");
    REQUIRE(known);
    CHECK(known->status == 304);
    CHECK(known->body.empty());
    for (const std::string path : {"/page/", "/page/none.js", "/page/../page/page.js", "/page", "/etc/passwd"}) {
        INFO(path);
        CHECK_FALSE(page.answer(get({kBrowser}), path));
    }
}

TEST_CASE("a folder is served instead, its views by its first page, and no path leaves it") {
    const TemporaryFolder folder;
    const std::filesystem::path base = folder.path(), root = base / "root";
    std::filesystem::create_directories(root / "assets");
    std::ofstream(base / "secret.txt") << "secret";
    std::ofstream(root / "index.html") << "<p>first";
    std::ofstream(root / "assets/a.wasm") << "wasm";
    std::ofstream(root / ".hidden") << "hidden";
    std::filesystem::create_symlink("../secret.txt", root / "link.txt");
    const PageFiles page(root.string());

    CHECK(page.answer(get({kBrowser}), "/")->body == "<p>first");
    CHECK(page.answer(get({kBrowser}), "/dashboard/7")->body == "<p>first");
    CHECK_FALSE(page.answer(get(), "/dashboard/7"));
    CHECK(page.answer(get(), "/assets/a.wasm")->contentType == "application/wasm");
    CHECK_FALSE(page.answer(get({kBrowser}), "/page/page.js"));
    for (const std::string path :
         {"/../secret.txt", "/assets/../../secret.txt", "/link.txt", "/.hidden", "//etc/passwd", "/./index.html"}) {
        INFO(path);
        CHECK_FALSE(page.answer(get(), path));
    }
    CHECK_THROWS_AS(PageFiles((base / "none").string()), SystemError);
}
