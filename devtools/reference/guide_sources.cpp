#include "devtools/reference/guide_sources.h"

#include <array>

// The bytes of a document, from pelorusGuide<name> to pelorusGuide<name>End. PELORUS_DOCS is the folder docs.
#define PELORUS_GUIDE_PAGE(name, file)                        \
    __asm__(                                                  \
        ".pushsection .rodata\n"                              \
        ".globl pelorusGuide" #name "\npelorusGuide" #name    \
        ":\n"                                                 \
        ".incbin \"" PELORUS_DOCS "/" file                    \
        "\"\n"                                                \
        ".globl pelorusGuide" #name "End\npelorusGuide" #name \
        "End:\n"                                              \
        ".byte 0\n.popsection\n");                            \
    extern "C" const char pelorusGuide##name[], pelorusGuide##name##End[]

PELORUS_GUIDE_PAGE(LanguageReadme, "language/README.md");
PELORUS_GUIDE_PAGE(LanguageValues, "language/values.md");
PELORUS_GUIDE_PAGE(LanguageCollections, "language/collections.md");
PELORUS_GUIDE_PAGE(LanguageFunctions, "language/functions.md");
PELORUS_GUIDE_PAGE(LanguageControl, "language/control.md");
PELORUS_GUIDE_PAGE(LanguageHigherOrder, "language/higher-order.md");
PELORUS_GUIDE_PAGE(LanguageTables, "language/tables.md");
PELORUS_GUIDE_PAGE(LanguageCode, "language/code.md");
PELORUS_GUIDE_PAGE(LanguageModules, "language/modules.md");
PELORUS_GUIDE_PAGE(LanguageCharts, "language/charts.md");
PELORUS_GUIDE_PAGE(LanguageStreams, "language/streams.md");
PELORUS_GUIDE_PAGE(LanguageModels, "language/models.md");
PELORUS_GUIDE_PAGE(LanguageSpeed, "language/speed.md");
PELORUS_GUIDE_PAGE(HowtoReadme, "howto/README.md");
PELORUS_GUIDE_PAGE(HowtoLoadCsv, "howto/load-csv.md");
PELORUS_GUIDE_PAGE(HowtoPartitions, "howto/partitions.md");
PELORUS_GUIDE_PAGE(HowtoBars, "howto/bars.md");
PELORUS_GUIDE_PAGE(HowtoAsOfJoins, "howto/as-of-joins.md");
PELORUS_GUIDE_PAGE(HowtoFactor, "howto/factor.md");
PELORUS_GUIDE_PAGE(HowtoLateData, "howto/late-data.md");
PELORUS_GUIDE_PAGE(HowtoBackup, "howto/backup.md");
PELORUS_GUIDE_PAGE(HowtoThreeNodes, "howto/three-nodes.md");
PELORUS_GUIDE_PAGE(HowtoShare, "howto/share.md");
PELORUS_GUIDE_PAGE(HowtoMonitor, "howto/monitor.md");
PELORUS_GUIDE_PAGE(Console, "console.md");
PELORUS_GUIDE_PAGE(Python, "python.md");
PELORUS_GUIDE_PAGE(Page, "page.md");
PELORUS_GUIDE_PAGE(Editor, "editor.md");
PELORUS_GUIDE_PAGE(Assistants, "language-models.md");
PELORUS_GUIDE_PAGE(Users, "users.md");
PELORUS_GUIDE_PAGE(Operations, "operations.md");
PELORUS_GUIDE_PAGE(Differences, "differences.md");
PELORUS_GUIDE_PAGE(Performance, "performance.md");

namespace pelorus {

namespace {

std::string_view bytesOf(const char* begin, const char* end) {
    return {begin, static_cast<size_t>(end - begin)};
}

}  // namespace

std::span<const GuideSource> guideSources() {
    static const std::array sources{
        GuideSource{"language/README", GuidePart::Language,
                    bytesOf(pelorusGuideLanguageReadme, pelorusGuideLanguageReadmeEnd)},
        GuideSource{"language/values", GuidePart::Language,
                    bytesOf(pelorusGuideLanguageValues, pelorusGuideLanguageValuesEnd)},
        GuideSource{"language/collections", GuidePart::Language,
                    bytesOf(pelorusGuideLanguageCollections, pelorusGuideLanguageCollectionsEnd)},
        GuideSource{"language/functions", GuidePart::Language,
                    bytesOf(pelorusGuideLanguageFunctions, pelorusGuideLanguageFunctionsEnd)},
        GuideSource{"language/control", GuidePart::Language,
                    bytesOf(pelorusGuideLanguageControl, pelorusGuideLanguageControlEnd)},
        GuideSource{"language/higher-order", GuidePart::Language,
                    bytesOf(pelorusGuideLanguageHigherOrder, pelorusGuideLanguageHigherOrderEnd)},
        GuideSource{"language/tables", GuidePart::Language,
                    bytesOf(pelorusGuideLanguageTables, pelorusGuideLanguageTablesEnd)},
        GuideSource{"language/code", GuidePart::Language,
                    bytesOf(pelorusGuideLanguageCode, pelorusGuideLanguageCodeEnd)},
        GuideSource{"language/modules", GuidePart::Language,
                    bytesOf(pelorusGuideLanguageModules, pelorusGuideLanguageModulesEnd)},
        GuideSource{"language/charts", GuidePart::Language,
                    bytesOf(pelorusGuideLanguageCharts, pelorusGuideLanguageChartsEnd)},
        GuideSource{"language/streams", GuidePart::Language,
                    bytesOf(pelorusGuideLanguageStreams, pelorusGuideLanguageStreamsEnd)},
        GuideSource{"language/models", GuidePart::Language,
                    bytesOf(pelorusGuideLanguageModels, pelorusGuideLanguageModelsEnd)},
        GuideSource{"language/speed", GuidePart::Language,
                    bytesOf(pelorusGuideLanguageSpeed, pelorusGuideLanguageSpeedEnd)},
        GuideSource{"howto/README", GuidePart::HowTo, bytesOf(pelorusGuideHowtoReadme, pelorusGuideHowtoReadmeEnd)},
        GuideSource{"howto/load-csv", GuidePart::HowTo, bytesOf(pelorusGuideHowtoLoadCsv, pelorusGuideHowtoLoadCsvEnd)},
        GuideSource{"howto/partitions", GuidePart::HowTo,
                    bytesOf(pelorusGuideHowtoPartitions, pelorusGuideHowtoPartitionsEnd)},
        GuideSource{"howto/bars", GuidePart::HowTo, bytesOf(pelorusGuideHowtoBars, pelorusGuideHowtoBarsEnd)},
        GuideSource{"howto/as-of-joins", GuidePart::HowTo,
                    bytesOf(pelorusGuideHowtoAsOfJoins, pelorusGuideHowtoAsOfJoinsEnd)},
        GuideSource{"howto/factor", GuidePart::HowTo, bytesOf(pelorusGuideHowtoFactor, pelorusGuideHowtoFactorEnd)},
        GuideSource{"howto/late-data", GuidePart::HowTo,
                    bytesOf(pelorusGuideHowtoLateData, pelorusGuideHowtoLateDataEnd)},
        GuideSource{"howto/backup", GuidePart::HowTo, bytesOf(pelorusGuideHowtoBackup, pelorusGuideHowtoBackupEnd)},
        GuideSource{"howto/three-nodes", GuidePart::HowTo,
                    bytesOf(pelorusGuideHowtoThreeNodes, pelorusGuideHowtoThreeNodesEnd)},
        GuideSource{"howto/share", GuidePart::HowTo, bytesOf(pelorusGuideHowtoShare, pelorusGuideHowtoShareEnd)},
        GuideSource{"howto/monitor", GuidePart::HowTo, bytesOf(pelorusGuideHowtoMonitor, pelorusGuideHowtoMonitorEnd)},
        GuideSource{"console", GuidePart::Handbook, bytesOf(pelorusGuideConsole, pelorusGuideConsoleEnd)},
        GuideSource{"python", GuidePart::Handbook, bytesOf(pelorusGuidePython, pelorusGuidePythonEnd)},
        GuideSource{"page", GuidePart::Handbook, bytesOf(pelorusGuidePage, pelorusGuidePageEnd)},
        GuideSource{"editor", GuidePart::Handbook, bytesOf(pelorusGuideEditor, pelorusGuideEditorEnd)},
        GuideSource{"language-models", GuidePart::Handbook, bytesOf(pelorusGuideAssistants, pelorusGuideAssistantsEnd)},
        GuideSource{"users", GuidePart::Handbook, bytesOf(pelorusGuideUsers, pelorusGuideUsersEnd)},
        GuideSource{"operations", GuidePart::Handbook, bytesOf(pelorusGuideOperations, pelorusGuideOperationsEnd)},
        GuideSource{"differences", GuidePart::Handbook, bytesOf(pelorusGuideDifferences, pelorusGuideDifferencesEnd)},
        GuideSource{"performance", GuidePart::Handbook, bytesOf(pelorusGuidePerformance, pelorusGuidePerformanceEnd)},
    };
    return sources;
}

}  // namespace pelorus
