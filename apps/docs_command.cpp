// pelorus docs --out DIR: the reference and the guide as a folder of pages.
#include <cstdio>

#include "apps/commands.h"
#include "apps/process/wiring.h"
#include "common/check.h"
#include "common/error.h"
#include "common/io/file.h"
#include "devtools/reference/reference_pages.h"

namespace pelorus {

int docsCommand(const CommandArguments& arguments) {
    if (arguments.size() != 2 || arguments[0] != "--out")
        throw UserError("pelorus docs needs a folder for its pages.", "Usage: pelorus docs --out DIR");
    registerAllFunctions();
    const std::string& folder = arguments[1];
    FileSystem& files = FileSystem::posix();  // whoever runs the command says where
    for (const char* part : {"functions", "themes", "guide/language", "guide/howto"})
        files.makeFolder(joinPath(folder, part));
    int count = 0;
    forEachReferencePath([&](const std::string& path) {
        const std::optional<ReferencePage> page = referencePage(path);
        CHECK(page.has_value()) << "each path that is listed is a page";
        files.create(joinPath(folder, path))->append(page->bytes);
        ++count;
    });
    std::printf("%d pages in %s: begin with index.html.\n", count, folder.c_str());
    return 0;
}

}  // namespace pelorus
