#include "postgres/catalog/catalog_tables.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "postgres/catalog/object_numbers.h"
#include "postgres/catalog/table_names.h"
#include "postgres/functions/conversions.h"
#include "runtime/function/principal.h"
#include "runtime/table/table.h"
#include "runtime/value/vector.h"

namespace pelorus::postgres {

namespace {

using Rows = std::vector<CatalogRow>;

constexpr int64_t kAdminRole = 10;
constexpr int64_t kDatabaseNumber = 5;

Value text(std::string_view x) {
    return textValue(x);
}
Value number(int64_t x) {
    return Value::ofLong(x);
}
Value whole(int64_t x) {
    return Value::ofInt(static_cast<int32_t>(x));
}
Value small(int64_t x) {
    return Value::ofShort(static_cast<int16_t>(x));
}
Value flag(bool x) {
    return Value::ofBool(x);
}
Value real(double x) {
    return Value::ofFloat(static_cast<float>(x));
}

// A table of the user's, as the catalog shows it.
struct Shown {
    std::string schema;
    std::string name;
    TableSchema columns;
};

std::vector<Shown> shownTables(Context& context) {
    std::vector<Shown> tables;
    const SessionFacts nobody;
    for (const std::string& schema : visibleSchemas(context))
        for (const std::string& name : visibleTables(schema, context)) {
            context.checkCancelled();
            try {
                tables.push_back({schema, name, findTable(schema, name, nobody, context, -1).columns});
            } catch (const UserError&) {
                // Dropped meanwhile, or without the right to its rows: not shown.
            }
        }
    return tables;
}

void collectNamespaces(Context& context, Rows& rows) {
    const auto add = [&](int64_t oid, std::string_view name) {
        rows.push_back({number(oid), text(name), number(kAdminRole), Value()});
    };
    add(kCatalogSchema, "pg_catalog");
    add(schemaNumber("information_schema"), "information_schema");
    for (const std::string& schema : visibleSchemas(context)) add(schemaNumber(schema), schema);
}

CatalogRow classRow(int64_t oid, std::string_view name, int64_t schema, char kind, size_t columns) {
    return {number(oid),
            text(name),
            number(schema),
            number(0),
            number(0),
            number(kAdminRole),
            number(kind == 'r' ? 2 : 0),
            number(oid),
            number(0),
            whole(0),
            real(-1),
            whole(0),
            number(0),
            flag(false),
            flag(false),
            text("p"),
            text(std::string(1, kind)),
            small(static_cast<int64_t>(columns)),
            small(0),
            flag(false),
            flag(false),
            flag(false),
            flag(false),
            flag(false),
            flag(true),
            text("d"),
            flag(false),
            number(0),
            number(0),
            number(0),
            Value(),
            Value(),
            Value()};
}

void collectClasses(Context& context, Rows& rows) {
    for (const SystemTable& table : catalogTables())
        rows.push_back(classRow(tableNumber(table.schema, table.name), table.name, schemaNumber(table.schema),
                                table.schema == "pg_catalog" ? 'r' : 'v', table.columns.size()));
    for (const Shown& table : shownTables(context))
        rows.push_back(classRow(tableNumber(table.schema, table.name), table.name, schemaNumber(table.schema), 'r',
                                table.columns.size()));
}

CatalogRow attributeRow(int64_t table, std::string_view name, Oid type, int32_t modifier, size_t place) {
    const OidFacts* facts = oidFacts(type);
    return {number(table),
            text(name),
            number(type),
            whole(-1),
            small(facts->length),
            small(static_cast<int64_t>(place)),
            whole(facts->category == 'A' ? 1 : 0),
            whole(-1),
            whole(modifier),
            flag(facts->length > 0 && facts->length <= 8),
            text(facts->length > 4 ? "d" : "i"),
            text(facts->length < 0 ? "x" : "p"),
            text(""),
            flag(false),
            flag(false),
            flag(false),
            text(""),
            text(""),
            flag(false),
            flag(true),
            whole(0),
            number(facts->category == 'S' ? 100 : 0),
            Value(),
            Value(),
            Value(),
            Value()};
}

void collectAttributes(Context& context, Rows& rows) {
    for (const SystemTable& table : catalogTables())
        for (size_t i = 0; i < table.columns.size(); ++i)
            rows.push_back(attributeRow(tableNumber(table.schema, table.name), table.columns[i].name,
                                        table.columns[i].type, -1, i + 1));
    for (const Shown& table : shownTables(context))
        for (size_t i = 0; i < table.columns.size(); ++i) {
            const ShownType type = shownType(table.columns[i].type, table.columns[i].scale);
            rows.push_back(attributeRow(tableNumber(table.schema, table.name), table.columns[i].name, type.type,
                                        type.modifier, i + 1));
        }
}

void collectTypes(Context&, Rows& rows) {
    for (const OidFacts& facts : allTypes()) {
        const bool isArray = facts.category == 'A' && facts.name[0] == '_';
        rows.push_back({number(facts.oid),
                        text(facts.name),
                        number(kCatalogSchema),
                        number(kAdminRole),
                        small(facts.length),
                        flag(facts.length > 0 && facts.length <= 8),
                        text(facts.category == 'P' || facts.category == 'X' ? "p" : "b"),
                        text(std::string(1, facts.category)),
                        flag(facts.oid == oid::kText || facts.oid == oid::kFloat8 || facts.oid == oid::kBool ||
                             facts.oid == oid::kTimestamptz),
                        flag(true),
                        text(","),
                        number(0),
                        number(facts.element),
                        number(facts.array),
                        text(isArray ? "array_in" : fmt::format("{}in", facts.name)),
                        text(isArray ? "array_out" : fmt::format("{}out", facts.name)),
                        text(isArray ? "array_recv" : fmt::format("{}recv", facts.name)),
                        text(isArray ? "array_send" : fmt::format("{}send", facts.name)),
                        text("-"),
                        text("-"),
                        text("-"),
                        text("i"),
                        text("p"),
                        flag(false),
                        number(0),
                        whole(-1),
                        whole(0),
                        number(facts.category == 'S' ? 100 : 0),
                        Value(),
                        Value(),
                        Value()});
    }
}

void collectDatabases(Context&, Rows& rows) {
    rows.push_back({number(kDatabaseNumber), text("pelorus"), number(kAdminRole), whole(6), text("c"), flag(false),
                    flag(true), whole(-1), number(0), number(0), number(1'663), text("C"), text("C"), Value(), Value(),
                    Value()});
}

void collectRoles(Context& context, Rows& rows) {
    const std::string user = context.principal().user();
    const auto add = [&](const std::string& name, bool isAdmin) {
        rows.push_back({number(roleNumber(name)), text(name), flag(isAdmin), flag(true), flag(isAdmin), flag(isAdmin),
                        flag(true), flag(false), whole(-1), text("********"), Value(), flag(false), Value()});
    };
    add("admin", true);
    if (user != "admin") add(user, context.principal().administers());
}

void collectTables(Context& context, Rows& rows) {
    for (const Shown& table : shownTables(context))
        rows.push_back({text(table.schema), text(table.name), text("admin"), Value(), flag(false), flag(false),
                        flag(false), flag(false)});
}

// The settings that drivers look up; the session's own are shown by SHOW.
void collectSettings(Context&, Rows& rows) {
    constexpr std::pair<std::string_view, std::string_view> kSettings[] = {
        {"max_index_keys", "32"},
        {"server_version", "15.0"},
        {"server_version_num", "150000"},
        {"server_encoding", "UTF8"},
        {"block_size", "8192"},
        {"max_identifier_length", "63"},
        {"integer_datetimes", "on"},
        {"lc_collate", "C"},
        {"lc_ctype", "C"},
        {"standard_conforming_strings", "on"},
    };
    for (const auto& [name, setting] : kSettings)
        rows.push_back({text(name), text(setting), Value(), text("Preset Options"), Value(), Value(), text("internal"),
                        text("string"), text("default"), Value(), Value(), Value(), text(setting), text(setting),
                        Value(), Value(), flag(false)});
}

void collectMethods(Context&, Rows& rows) {
    rows.push_back({number(2), text("heap"), text("heap_tableam_handler"), text("t")});
    rows.push_back({number(403), text("btree"), text("bthandler"), text("i")});
}

void collectSchemata(Context& context, Rows& rows) {
    std::vector<std::string> schemas = visibleSchemas(context);
    schemas.insert(schemas.end(), {"pg_catalog", "information_schema"});
    for (const std::string& schema : schemas)
        rows.push_back({text("pelorus"), text(schema), text("admin"), Value(), Value(), Value(), Value()});
}

CatalogRow tableRow(std::string_view schema, std::string_view name, std::string_view kind) {
    return {text("pelorus"), text(schema), text(name), text(kind), Value(),    Value(),
            Value(),         Value(),      Value(),    text("NO"), text("NO"), Value()};
}

void collectInformationTables(Context& context, Rows& rows) {
    for (const SystemTable& table : catalogTables())
        rows.push_back(tableRow(table.schema, table.name, table.schema == "pg_catalog" ? "BASE TABLE" : "VIEW"));
    for (const Shown& table : shownTables(context)) rows.push_back(tableRow(table.schema, table.name, "BASE TABLE"));
}

CatalogRow columnRow(std::string_view schema, std::string_view table, std::string_view name, size_t place,
                     ShownType type) {
    const OidFacts* facts = oidFacts(type.type);
    const bool isText = facts->category == 'S', isNumber = facts->category == 'N';
    const bool isNumeric = type.type == oid::kNumeric;
    const Value precision = !isNumber   ? Value()
                            : isNumeric ? (type.modifier < 0 ? Value() : whole(numericPrecision(type.modifier)))
                                        : whole(facts->length == 2   ? 16
                                                : facts->length == 4 ? (type.type == oid::kFloat4 ? 24 : 32)
                                                                     : (type.type == oid::kFloat8 ? 53 : 64));
    const Value scale = !isNumber || type.type == oid::kFloat4 || type.type == oid::kFloat8 ? Value()
                        : isNumeric ? (type.modifier < 0 ? Value() : whole(numericScale(type.modifier)))
                                    : whole(0);
    const std::string_view shown = facts->category == 'A' ? "ARRAY" : facts->display;
    return {text("pelorus"),
            text(schema),
            text(table),
            text(name),
            whole(static_cast<int64_t>(place)),
            Value(),
            text("YES"),
            text(shown),
            Value(),
            isText ? whole(1'073'741'824) : Value(),
            precision,
            isNumber ? whole(isNumeric ? 10 : 2) : Value(),
            scale,
            facts->category == 'D' && type.type != oid::kDate ? whole(6)
            : facts->category == 'D'                          ? whole(0)
                                                              : Value(),
            Value(),
            Value(),
            Value(),
            text("pelorus"),
            text("pg_catalog"),
            text(facts->name),
            text(fmt::format("{}", place)),
            text("NO"),
            text("NO"),
            text("NEVER"),
            Value(),
            text("YES")};
}

void collectInformationColumns(Context& context, Rows& rows) {
    for (const SystemTable& table : catalogTables())
        for (size_t i = 0; i < table.columns.size(); ++i)
            rows.push_back(
                columnRow(table.schema, table.name, table.columns[i].name, i + 1, {table.columns[i].type, -1}));
    for (const Shown& table : shownTables(context))
        for (size_t i = 0; i < table.columns.size(); ++i)
            rows.push_back(columnRow(table.schema, table.name, table.columns[i].name, i + 1,
                                     shownType(table.columns[i].type, table.columns[i].scale)));
}

constexpr const char* kPg = "pg_catalog";
constexpr const char* kInformation = "information_schema";

// Columns in short: a name and a letter for the type. o oid, n name, t text, i int4, s int2, l int8, b bool, c "char",
// f float4, r regproc as text, O oidvector, I int2vector, a aclitem[], A text[], N name[], x xid, z timestamptz, g
// pg_node_tree, m varchar, T oid[], S int2[].
std::vector<CatalogColumn> columns(std::initializer_list<std::string_view> list) {
    std::vector<CatalogColumn> result;
    for (const std::string_view item : list) {
        Oid type = oid::kText;
        switch (item[0]) {
            case 'o':
                type = oid::kOid;
                break;
            case 'n':
                type = oid::kName;
                break;
            case 'i':
                type = oid::kInt4;
                break;
            case 's':
                type = oid::kInt2;
                break;
            case 'l':
                type = oid::kInt8;
                break;
            case 'b':
                type = oid::kBool;
                break;
            case 'c':
                type = oid::kChar;
                break;
            case 'f':
                type = oid::kFloat4;
                break;
            case 'r':
                type = oid::kRegproc;
                break;
            case 'O':
                type = oid::kOidVector;
                break;
            case 'I':
                type = oid::kInt2Vector;
                break;
            case 'a':
                type = oid::kTextArray;
                break;
            case 'A':
                type = oid::kTextArray;
                break;
            case 'N':
                type = oid::kNameArray;
                break;
            case 'T':
                type = oid::kOidArray;
                break;
            case 'S':
                type = oid::kInt2Array;
                break;
            case 'x':
                type = oid::kXid;
                break;
            case 'z':
                type = oid::kTimestamptz;
                break;
            case 'g':
                type = oid::kPgNodeTree;
                break;
            case 'm':
                type = oid::kVarchar;
                break;
            case 'd':
                type = oid::kFloat8;
                break;
            default:
                break;
        }
        result.push_back({std::string(item.substr(1)), type});
    }
    return result;
}

std::vector<SystemTable> makeTables() {
    return {
        {kPg, "pg_namespace", columns({"ooid", "nnspname", "onspowner", "anspacl"}), collectNamespaces},
        {kPg, "pg_class",
         columns({"ooid",
                  "nrelname",
                  "orelnamespace",
                  "oreltype",
                  "oreloftype",
                  "orelowner",
                  "orelam",
                  "orelfilenode",
                  "oreltablespace",
                  "irelpages",
                  "freltuples",
                  "irelallvisible",
                  "oreltoastrelid",
                  "brelhasindex",
                  "brelisshared",
                  "crelpersistence",
                  "crelkind",
                  "srelnatts",
                  "srelchecks",
                  "brelhasrules",
                  "brelhastriggers",
                  "brelhassubclass",
                  "brelrowsecurity",
                  "brelforcerowsecurity",
                  "brelispopulated",
                  "crelreplident",
                  "brelispartition",
                  "orelrewrite",
                  "xrelfrozenxid",
                  "xrelminmxid",
                  "arelacl",
                  "Areloptions",
                  "grelpartbound"}),
         collectClasses},
        {kPg, "pg_attribute",
         columns({"oattrelid",       "nattname",      "oatttypid",    "iattstattarget", "sattlen",      "sattnum",
                  "iattndims",       "iattcacheoff",  "iatttypmod",   "battbyval",      "cattalign",    "cattstorage",
                  "cattcompression", "battnotnull",   "batthasdef",   "batthasmissing", "cattidentity", "cattgenerated",
                  "battisdropped",   "battislocal",   "iattinhcount", "oattcollation",  "aattacl",      "Aattoptions",
                  "Aattfdwoptions",  "Aattmissingval"}),
         collectAttributes},
        {kPg, "pg_type",
         columns({"ooid",         "ntypname",     "otypnamespace",   "otypowner",     "styplen",        "btypbyval",
                  "ctyptype",     "ctypcategory", "btypispreferred", "btypisdefined", "ctypdelim",      "otyprelid",
                  "otypelem",     "otyparray",    "rtypinput",       "rtypoutput",    "rtypreceive",    "rtypsend",
                  "rtypmodin",    "rtypmodout",   "rtypanalyze",     "ctypalign",     "ctypstorage",    "btypnotnull",
                  "otypbasetype", "ityptypmod",   "itypndims",       "otypcollation", "gtypdefaultbin", "ttypdefault",
                  "atypacl"}),
         collectTypes},
        {kPg, "pg_database",
         columns({"ooid", "ndatname", "odatdba", "iencoding", "cdatlocprovider", "bdatistemplate", "bdatallowconn",
                  "idatconnlimit", "xdatfrozenxid", "xdatminmxid", "odattablespace", "tdatcollate", "tdatctype",
                  "tdaticulocale", "tdatcollversion", "adatacl"}),
         collectDatabases},
        {kPg, "pg_roles",
         columns({"ooid", "nrolname", "brolsuper", "brolinherit", "brolcreaterole", "brolcreatedb", "brolcanlogin",
                  "brolreplication", "irolconnlimit", "trolpassword", "zrolvaliduntil", "brolbypassrls", "Arolconfig"}),
         collectRoles},
        {kPg, "pg_tables",
         columns({"nschemaname", "ntablename", "ntableowner", "ntablespace", "bhasindexes", "bhasrules", "bhastriggers",
                  "browsecurity"}),
         collectTables},
        {kPg, "pg_am", columns({"ooid", "namname", "ramhandler", "camtype"}), collectMethods},
        {kPg, "pg_settings",
         columns({"tname", "tsetting", "tunit", "tcategory", "tshort_desc", "textra_desc", "tcontext", "tvartype",
                  "tsource", "tmin_val", "tmax_val", "Aenumvals", "tboot_val", "treset_val", "tsourcefile",
                  "isourceline", "bpending_restart"}),
         collectSettings},
        {kPg, "pg_attrdef", columns({"ooid", "oadrelid", "sadnum", "gadbin"}), nullptr},
        {kPg, "pg_index", columns({"oindexrelid",     "oindrelid",       "sindnatts",
                                   "sindnkeyatts",    "bindisunique",    "bindnullsnotdistinct",
                                   "bindisprimary",   "bindisexclusion", "bindimmediate",
                                   "bindisclustered", "bindisvalid",     "bindcheckxmin",
                                   "bindisready",     "bindislive",      "bindisreplident",
                                   "Iindkey",         "Oindcollation",   "Oindclass",
                                   "Iindoption",      "gindexprs",       "gindpred"}),
         nullptr},
        {kPg, "pg_constraint",
         columns({"ooid",          "nconname",     "oconnamespace",  "ccontype",    "bcondeferrable", "bcondeferred",
                  "bconvalidated", "oconrelid",    "ocontypid",      "oconindid",   "oconparentid",   "oconfrelid",
                  "cconfupdtype",  "cconfdeltype", "cconfmatchtype", "bconislocal", "iconinhcount",   "bconnoinherit",
                  "Sconkey",       "Sconfkey",     "gconbin"}),
         nullptr},
        {kPg, "pg_description", columns({"oobjoid", "oclassoid", "iobjsubid", "tdescription"}), nullptr},
        {kPg, "pg_shdescription", columns({"oobjoid", "oclassoid", "tdescription"}), nullptr},
        {kPg, "pg_proc",
         columns({"ooid",         "nproname",     "opronamespace",   "oproowner",    "oprolang",     "fprocost",
                  "fprorows",     "oprovariadic", "rprosupport",     "cprokind",     "bprosecdef",   "bproleakproof",
                  "bproisstrict", "bproretset",   "cprovolatile",    "cproparallel", "spronargs",    "spronargdefaults",
                  "oprorettype",  "Oproargtypes", "Tproallargtypes", "Aproargmodes", "Aproargnames", "gproargdefaults",
                  "Tprotrftypes", "tprosrc",      "tprobin",         "aproacl"}),
         nullptr},
        {kPg, "pg_inherits", columns({"oinhrelid", "oinhparent", "iinhseqno", "binhdetachpending"}), nullptr},
        {kPg, "pg_enum", columns({"ooid", "oenumtypid", "fenumsortorder", "nenumlabel"}), nullptr},
        {kPg, "pg_extension",
         columns({"ooid", "nextname", "oextowner", "oextnamespace", "bextrelocatable", "textversion", "Textconfig",
                  "Aextcondition"}),
         nullptr},
        {kPg, "pg_range",
         columns({"orngtypid", "orngsubtype", "orngmultitypid", "orngcollation", "orngsubopc", "rrngcanonical",
                  "rrngsubdiff"}),
         nullptr},
        {kPg, "pg_collation",
         columns({"ooid", "ncollname", "ocollnamespace", "ocollowner", "ccollprovider", "bcollisdeterministic",
                  "icollencoding", "tcollcollate", "tcollctype"}),
         nullptr},
        {kPg, "pg_depend",
         columns({"oclassid", "oobjid", "iobjsubid", "orefclassid", "orefobjid", "irefobjsubid", "cdeptype"}), nullptr},
        {kPg, "pg_policy",
         columns(
             {"ooid", "npolname", "opolrelid", "cpolcmd", "bpolpermissive", "Tpolroles", "gpolqual", "gpolwithcheck"}),
         nullptr},
        {kPg, "pg_trigger",
         columns({"ooid", "otgrelid", "otgparentid", "ntgname", "otgfoid", "stgtype", "ctgenabled", "btgisinternal",
                  "otgconstrrelid", "otgconstrindid", "otgconstraint", "btgdeferrable", "btginitdeferred"}),
         nullptr},
        {kPg, "pg_rewrite", columns({"ooid", "nrulename", "oev_class", "cev_type", "cev_enabled", "bis_instead"}),
         nullptr},
        {kPg, "pg_views", columns({"nschemaname", "nviewname", "nviewowner", "tdefinition"}), nullptr},
        {kPg, "pg_matviews",
         columns({"nschemaname", "nmatviewname", "nmatviewowner", "ntablespace", "bhasindexes", "bispopulated",
                  "tdefinition"}),
         nullptr},
        {kPg, "pg_indexes", columns({"nschemaname", "ntablename", "nindexname", "ntablespace", "tindexdef"}), nullptr},
        {kPg, "pg_sequence",
         columns(
             {"oseqrelid", "oseqtypid", "lseqstart", "lseqincrement", "lseqmax", "lseqmin", "lseqcache", "bseqcycle"}),
         nullptr},
        {kPg, "pg_foreign_table", columns({"oftrelid", "oftserver", "Aftoptions"}), nullptr},
        {kPg, "pg_foreign_server",
         columns({"ooid", "nsrvname", "osrvowner", "osrvfdw", "tsrvtype", "tsrvversion", "asrvacl", "Asrvoptions"}),
         nullptr},
        {kPg, "pg_partitioned_table", columns({"opartrelid", "cpartstrat", "spartnatts", "opartdefid", "Ipartattrs"}),
         nullptr},
        {kPg, "pg_tablespace", columns({"ooid", "nspcname", "ospcowner", "aspcacl", "Aspcoptions"}), nullptr},
        {kPg, "pg_auth_members", columns({"oroleid", "omember", "ograntor", "badmin_option"}), nullptr},
        {kPg, "pg_publication", columns({"ooid", "npubname", "opubowner", "bpuballtables"}), nullptr},
        {kPg, "pg_publication_rel", columns({"ooid", "oprpubid", "oprrelid", "Iprattrs", "gprqual"}), nullptr},
        {kPg, "pg_publication_namespace", columns({"ooid", "opnpubid", "opnnspid"}), nullptr},
        {kPg, "pg_statistic_ext",
         columns(
             {"ooid", "ostxrelid", "nstxname", "ostxnamespace", "ostxowner", "istxstattarget", "Istxkeys", "Astxkind"}),
         nullptr},
        {kPg, "pg_language", columns({"ooid", "nlanname", "olanowner", "blanispl", "blanpltrusted"}), nullptr},
        {kPg, "pg_event_trigger",
         columns({"ooid", "nevtname", "nevtevent", "oevtowner", "oevtfoid", "cevtenabled", "Aevttags"}), nullptr},
        {kPg, "pg_opclass",
         columns({"ooid", "oopcmethod", "nopcname", "oopcnamespace", "oopcowner", "oopcfamily", "oopcintype",
                  "bopcdefault", "oopckeytype"}),
         nullptr},
        {kPg, "pg_operator",
         columns({"ooid", "noprname", "ooprnamespace", "ooprowner", "coprkind", "ooprleft", "ooprright", "ooprresult"}),
         nullptr},
        {kPg, "pg_locks", columns({"tlocktype", "odatabase", "orelation", "ipid", "tmode", "bgranted"}), nullptr},
        {kPg, "pg_prepared_xacts", columns({"xtransaction", "tgid", "nowner", "ndatabase"}), nullptr},
        {kPg, "pg_stat_user_tables",
         columns({"orelid", "nschemaname", "nrelname", "lseq_scan", "lidx_scan", "ln_live_tup", "ln_dead_tup"}),
         nullptr},
        {kInformation, "schemata",
         columns({"ncatalog_name", "nschema_name", "nschema_owner", "ndefault_character_set_catalog",
                  "ndefault_character_set_schema", "ndefault_character_set_name", "tsql_path"}),
         collectSchemata},
        {kInformation, "tables",
         columns({"ntable_catalog", "ntable_schema", "ntable_name", "ttable_type", "nself_referencing_column_name",
                  "treference_generation", "nuser_defined_type_catalog", "nuser_defined_type_schema",
                  "nuser_defined_type_name", "tis_insertable_into", "tis_typed", "tcommit_action"}),
         collectInformationTables},
        {kInformation, "columns",
         columns({"ntable_catalog",
                  "ntable_schema",
                  "ntable_name",
                  "ncolumn_name",
                  "iordinal_position",
                  "tcolumn_default",
                  "tis_nullable",
                  "tdata_type",
                  "icharacter_maximum_length",
                  "icharacter_octet_length",
                  "inumeric_precision",
                  "inumeric_precision_radix",
                  "inumeric_scale",
                  "idatetime_precision",
                  "tinterval_type",
                  "ndomain_schema",
                  "ndomain_name",
                  "nudt_catalog",
                  "nudt_schema",
                  "nudt_name",
                  "tdtd_identifier",
                  "tis_self_referencing",
                  "tis_identity",
                  "tis_generated",
                  "tgeneration_expression",
                  "tis_updatable"}),
         collectInformationColumns},
        {kInformation, "views", columns({"ntable_catalog", "ntable_schema", "ntable_name", "tview_definition"}),
         nullptr},
        {kInformation, "table_constraints",
         columns({"nconstraint_catalog", "nconstraint_schema", "nconstraint_name", "ntable_catalog", "ntable_schema",
                  "ntable_name", "tconstraint_type", "tis_deferrable", "tinitially_deferred", "tenforced"}),
         nullptr},
        {kInformation, "key_column_usage",
         columns({"nconstraint_catalog", "nconstraint_schema", "nconstraint_name", "ntable_catalog", "ntable_schema",
                  "ntable_name", "ncolumn_name", "iordinal_position", "iposition_in_unique_constraint"}),
         nullptr},
        {kInformation, "constraint_column_usage",
         columns({"ntable_catalog", "ntable_schema", "ntable_name", "ncolumn_name", "nconstraint_catalog",
                  "nconstraint_schema", "nconstraint_name"}),
         nullptr},
        {kInformation, "referential_constraints",
         columns({"nconstraint_catalog", "nconstraint_schema", "nconstraint_name", "nunique_constraint_catalog",
                  "nunique_constraint_schema", "nunique_constraint_name", "tmatch_option", "tupdate_rule",
                  "tdelete_rule"}),
         nullptr},
    };
}

}  // namespace

std::span<const SystemTable> catalogTables() {
    static const std::vector<SystemTable> kTables = makeTables();
    return kTables;
}

const SystemTable* findSystemTable(std::string_view schema, std::string_view name) {
    const std::string_view wanted = schema.empty() ? std::string_view(kPg) : schema;
    if (wanted != kPg && wanted != kInformation) return nullptr;
    for (const SystemTable& table : catalogTables())
        if (table.schema == wanted && table.name == name) return &table;
    return nullptr;
}

Value catalogRows(const SystemTable& table, Context& context) {
    std::vector<CatalogRow> rows;
    if (table.collect != nullptr) table.collect(context, rows);
    std::vector<std::string> names;
    std::vector<Value> values;
    for (size_t i = 0; i < table.columns.size(); ++i) {
        const OidFacts* facts = oidFacts(table.columns[i].type);
        Ref<Vector> column = Vector::make(facts->kept, 0, static_cast<int64_t>(rows.size()));
        for (const CatalogRow& row : rows) column->append(row[i].isVoid() ? Value::nullOf(facts->kept) : row[i]);
        names.push_back(table.columns[i].name);
        values.push_back(Value::of(column));
    }
    return Value::of(Ref<Table>(makeRef<MemoryTable>(std::move(names), std::move(values))));
}

}  // namespace pelorus::postgres
