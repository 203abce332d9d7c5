#include "postgres/catalog/catalog_tables.h"

#include <algorithm>
#include <iterator>

#include "postgres/catalog/activity.h"
#include "postgres/catalog/collectors.h"
#include "postgres/catalog/shown_expressions.h"
#include "postgres/catalog/shown_keys.h"
#include "runtime/table/table.h"
#include "runtime/value/vector.h"

namespace pelorus::postgres {

namespace {

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
        {kPg, "pg_attrdef", columns({"ooid", "oadrelid", "sadnum", "gadbin"}), collectDefaults},
        {kPg, "pg_index", columns({"oindexrelid",     "oindrelid",       "sindnatts",
                                   "sindnkeyatts",    "bindisunique",    "bindnullsnotdistinct",
                                   "bindisprimary",   "bindisexclusion", "bindimmediate",
                                   "bindisclustered", "bindisvalid",     "bindcheckxmin",
                                   "bindisready",     "bindislive",      "bindisreplident",
                                   "Iindkey",         "Oindcollation",   "Oindclass",
                                   "Iindoption",      "gindexprs",       "gindpred"}),
         collectIndexes},
        {kPg, "pg_constraint",
         columns({"ooid",          "nconname",     "oconnamespace",  "ccontype",    "bcondeferrable", "bcondeferred",
                  "bconvalidated", "oconrelid",    "ocontypid",      "oconindid",   "oconparentid",   "oconfrelid",
                  "cconfupdtype",  "cconfdeltype", "cconfmatchtype", "bconislocal", "iconinhcount",   "bconnoinherit",
                  "Sconkey",       "Sconfkey",     "gconbin"}),
         collectConstraints},
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
         columns({"oclassid", "oobjid", "iobjsubid", "orefclassid", "orefobjid", "irefobjsubid", "cdeptype"}),
         collectDependencies},
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
        {kPg, "pg_views", columns({"nschemaname", "nviewname", "nviewowner", "tdefinition"}), collectViews},
        {kPg, "pg_matviews",
         columns({"nschemaname", "nmatviewname", "nmatviewowner", "ntablespace", "bhasindexes", "bispopulated",
                  "tdefinition"}),
         nullptr},
        {kPg, "pg_indexes", columns({"nschemaname", "ntablename", "nindexname", "ntablespace", "tindexdef"}),
         collectIndexDefinitions},
        {kPg, "pg_sequence",
         columns(
             {"oseqrelid", "oseqtypid", "lseqstart", "lseqincrement", "lseqmax", "lseqmin", "lseqcache", "bseqcycle"}),
         collectSequences},
        {kPg, "pg_sequences",
         columns({"nschemaname", "nsequencename", "nsequenceowner", "tdata_type", "lstart_value", "lmin_value",
                  "lmax_value", "lincrement_by", "bcycle", "lcache_size", "llast_value"}),
         collectSequenceStates},
        {kInformation, "sequences",
         columns({"nsequence_catalog", "nsequence_schema", "nsequence_name", "tdata_type", "inumeric_precision",
                  "inumeric_precision_radix", "inumeric_scale", "tstart_value", "tminimum_value", "tmaximum_value",
                  "tincrement", "tcycle_option"}),
         collectInformationSequences},
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
        {kPg, "pg_stat_activity",
         columns({"odatid",
                  "ndatname",
                  "ipid",
                  "ileader_pid",
                  "ousesysid",
                  "nusename",
                  "tapplication_name",
                  "tclient_addr",
                  "tclient_hostname",
                  "iclient_port",
                  "zbackend_start",
                  "zxact_start",
                  "zquery_start",
                  "zstate_change",
                  "twait_event_type",
                  "twait_event",
                  "tstate",
                  "xbackend_xid",
                  "xbackend_xmin",
                  "lquery_id",
                  "tquery",
                  "tbackend_type"}),
         collectActivity},
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
         collectInformationViews},
        {kInformation, "table_constraints",
         columns({"nconstraint_catalog", "nconstraint_schema", "nconstraint_name", "ntable_catalog", "ntable_schema",
                  "ntable_name", "tconstraint_type", "tis_deferrable", "tinitially_deferred", "tenforced"}),
         collectTableConstraints},
        {kInformation, "key_column_usage",
         columns({"nconstraint_catalog", "nconstraint_schema", "nconstraint_name", "ntable_catalog", "ntable_schema",
                  "ntable_name", "ncolumn_name", "iordinal_position", "iposition_in_unique_constraint"}),
         collectKeyColumns},
        {kInformation, "constraint_column_usage",
         columns({"ntable_catalog", "ntable_schema", "ntable_name", "ncolumn_name", "nconstraint_catalog",
                  "nconstraint_schema", "nconstraint_name"}),
         collectConstraintColumns},
        {kInformation, "referential_constraints",
         columns({"nconstraint_catalog", "nconstraint_schema", "nconstraint_name", "nunique_constraint_catalog",
                  "nunique_constraint_schema", "nunique_constraint_name", "tmatch_option", "tupdate_rule",
                  "tdelete_rule"}),
         collectReferences},
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
