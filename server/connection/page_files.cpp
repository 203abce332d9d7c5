#include "server/connection/page_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <memory>
#include <mutex>
#include <string_view>

#include "common/io/gunzip.h"
#include "common/io/md5.h"
#include "common/io/open_file.h"

// The bytes of a file of the built page, from `name` to `name`End. PELORUS_PAGE is its folder.
#define PELORUS_PAGE_FILE(name, file)                       \
    __asm__(                                                \
        ".pushsection .rodata\n"                            \
        ".globl pelorusPage" #name "\npelorusPage" #name    \
        ":\n"                                               \
        ".incbin \"" PELORUS_PAGE "/" file                  \
        "\"\n"                                              \
        ".globl pelorusPage" #name "End\npelorusPage" #name \
        "End:\n"                                            \
        ".byte 0\n.popsection\n");                          \
    extern "C" const char pelorusPage##name[], pelorusPage##name##End[]

PELORUS_PAGE_FILE(Html, "index.html");
PELORUS_PAGE_FILE(Script, "page.js");
PELORUS_PAGE_FILE(Work, "work.js");
PELORUS_PAGE_FILE(Style, "page.css");
PELORUS_PAGE_FILE(Icon, "icon.svg");

namespace pelorus {

namespace {

constexpr int64_t kMaxFileBytes = int64_t{64} << 20;

// A file of the program, as it is sent. It is packed when the first browser asks for it: the page itself need not wait
// for its scripts. Thread-safe.
class PageFile {
public:
    PageFile(std::string_view path, std::string_view contentType, const char* begin, const char* end)
        : path(path), contentType(contentType), content(begin, static_cast<size_t>(end - begin)) {}

    const std::string& packed() const {
        pack();
        return packed_;
    }
    const std::string& tag() const {
        pack();
        return tag_;
    }

    const std::string_view path, contentType, content;

private:
    void pack() const;

    mutable std::once_flag isPacked_;
    mutable std::string packed_, tag_;
};

constexpr std::pair<std::string_view, std::string_view> kTypes[] = {
    {".html", "text/html; charset=utf-8"},
    {".js", "text/javascript; charset=utf-8"},
    {".mjs", "text/javascript; charset=utf-8"},
    {".css", "text/css; charset=utf-8"},
    {".json", "application/json"},
    {".svg", "image/svg+xml"},
    {".png", "image/png"},
    {".jpg", "image/jpeg"},
    {".gif", "image/gif"},
    {".ico", "image/x-icon"},
    {".woff", "font/woff"},
    {".woff2", "font/woff2"},
    {".ttf", "font/ttf"},
    {".wasm", "application/wasm"},
    {".txt", "text/plain; charset=utf-8"},
    {".map", "application/json"},
};

std::string_view typeOf(std::string_view path) {
    const auto* found = std::find_if(std::begin(kTypes), std::end(kTypes),
                                     [&](const auto& type) { return path.ends_with(type.first); });
    return found == std::end(kTypes) ? "application/octet-stream" : found->second;
}

std::string tagOf(std::string_view content) {
    return fmt::format("\"{:02x}\"", fmt::join(md5(content), ""));
}

void PageFile::pack() const {
    std::call_once(isPacked_, [&] {
        packed_ = gzip(content);
        tag_ = tagOf(content);
    });
}

const std::array<PageFile, 5>& filesOfProgram() {
    const auto file = [](std::string_view path, const char* begin, const char* end) {
        return PageFile(path, typeOf(path), begin, end);
    };
    static const std::array<PageFile, 5> files{file("/page/index.html", pelorusPageHtml, pelorusPageHtmlEnd),
                                               file("/page/page.js", pelorusPageScript, pelorusPageScriptEnd),
                                               file("/page/work.js", pelorusPageWork, pelorusPageWorkEnd),
                                               file("/page/page.css", pelorusPageStyle, pelorusPageStyleEnd),
                                               file("/page/icon.svg", pelorusPageIcon, pelorusPageIconEnd)};
    return files;
}

// An answer that no other page may frame. A browser asks each time whether the file
// has changed: a node of the next version serves another page.
HttpResponse answerOf(std::string_view contentType, const std::string& tag) {
    HttpResponse response;
    response.contentType = contentType;
    response.headers = {
        {"X-Frame-Options", "DENY"}, {"Referrer-Policy", "no-referrer"}, {"Cache-Control", "no-cache"}, {"ETag", tag}};
    return response;
}

}  // namespace

PageFiles::PageFiles(const std::string& folder) {
    if (!folder.empty()) folder_ = openFolder(folder);
}

std::optional<HttpResponse> PageFiles::answer(const HttpRequest& request, const std::string& path) const {
    const bool isPage = path == "/";
    if (isPage && request.header("accept").find("text/html") == std::string_view::npos) return std::nullopt;
    if (folder_.isOpen()) return answerFromFolder(request, path);
    const auto& files = filesOfProgram();
    const auto* file = std::find_if(files.begin(), files.end(), [&](const PageFile& candidate) {
        return candidate.path == (isPage ? "/page/index.html" : path);
    });
    if (file == files.end()) return std::nullopt;
    HttpResponse response = answerOf(file->contentType, file->tag());
    // Scripts, styles and connections of this node only, nothing inline: text of data is never taken for markup.
    response.headers.emplace_back("Content-Security-Policy",
                                  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
                                  "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
    response.headers.emplace_back("Vary", "Accept, Accept-Encoding");
    if (request.header("if-none-match") == file->tag()) {
        response.status = 304;
    } else if (request.headerHas("accept-encoding", "gzip")) {
        response.headers.emplace_back("Content-Encoding", "gzip");
        response.body = file->packed();
    } else {
        response.body = file->content;
    }
    return response;
}

// Returns the content of a file of the folder; nullopt when there is none that is served.
std::optional<std::string> PageFiles::readFile(const std::string& path) const {
    if (path.starts_with('.') || path.find("/.") != std::string::npos) return std::nullopt;
    const std::unique_ptr<File> file = openFileBeneath(folder_, path);
    if (!file || file->size() > kMaxFileBytes) return std::nullopt;
    std::string content(static_cast<size_t>(file->size()), '\0');
    content.resize(file->readAt(0, content.data(), content.size()));
    return content;
}

std::optional<HttpResponse> PageFiles::answerFromFolder(const HttpRequest& request, const std::string& path) const {
    std::string name = path == "/" ? "index.html" : path.substr(1);
    std::optional<std::string> content = readFile(name);
    // The addresses of an application with several views have no file: it shows the view itself.
    const bool isView = path.rfind('.') == std::string::npos;
    if (!content && isView && request.header("accept").find("text/html") != std::string_view::npos) {
        name = "index.html";
        content = readFile(name);
    }
    if (!content) return std::nullopt;
    const std::string tag = tagOf(*content);
    HttpResponse response = answerOf(typeOf(name), tag);
    response.headers.emplace_back("Content-Security-Policy", "frame-ancestors 'none'");
    response.headers.emplace_back("Vary", "Accept");
    if (request.header("if-none-match") == tag) {
        response.status = 304;
    } else {
        response.body = std::move(*content);
    }
    return response;
}

}  // namespace pelorus
