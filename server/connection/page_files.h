// PageFiles answers the requests of browsers for the page of the node: its files are a part of the program, or those of
// a folder (the setting webRoot).
#pragma once

#include <optional>
#include <string>

#include "common/io/descriptor.h"
#include "net/http_request.h"

namespace pelorus {

// The files of one server. Whoever reaches the port may read them: they contain no data, and the page logs in by
// itself. Thread-safe.
class PageFiles {
public:
    // `folder`: serves the files of this folder instead of the page of the program; empty: the page of the program.
    // Throws SystemError when the folder cannot be opened.
    explicit PageFiles(const std::string& folder);

    // Returns the file at the path of a GET or HEAD request; nullopt when there is none. "/" is the page for clients
    // that accept text/html, and so is, in a folder, a path without a dot.
    std::optional<HttpResponse> answer(const HttpRequest& request, const std::string& path) const;

private:
    std::optional<HttpResponse> answerFromFolder(const HttpRequest& request, const std::string& path) const;

    std::optional<std::string> readFile(const std::string& path) const;

    Descriptor folder_;  // none: the page of the program
};

}  // namespace pelorus
