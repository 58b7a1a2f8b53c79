#include "cli/lab.hpp"
#include "cli/option.hpp"

namespace onefold::cli {
namespace {

constexpr Option kernel_option{"kernel", "NAME", "the kernel; of a template with its arguments",
                               nullptr};
constexpr Option args_option{
    "args", "LIST",
    "what it is given, as in 'in:i32[2^14]=iota, out:i32[64], n=16384'; a fill "
    "is iota, zeros, ones, rand, a number, [1, 2, 3] or @FILE of raw elements; a struct is "
    "s={in, i32:5}",
    nullptr};
constexpr Option launch_option{
    "launch", "LIST",
    "several launches: 'k<<<64, 256, 1024>>>(in, out, n); ...', instead of "
    "--kernel, --grid, --block and --shared",
    nullptr};
constexpr Option as_written_option{"as-written", nullptr,
                                   "compile without optimisation: every access is made", nullptr};
constexpr Option shared_option{"shared", "BYTES", "shared memory of the launch", nullptr};
constexpr Option print_option{"print", "NAME,...", "the arrays whose elements to show", nullptr};
constexpr Option expect_option{"expect", "LIST",
                               "what must hold afterwards: 'out[0]==32640, sum(out)>0, "
                               "unwritten(out)==0'; also !=, <, <=, >=, and ~= for floats",
                               nullptr};
constexpr Option cooperative_option{"cooperative", nullptr, "all blocks at once", nullptr};
constexpr Option budget_option{"budget", "N", "steps of all threads, then it is given up (2^32)",
                               nullptr};
constexpr Option compiler_option{"compiler", "NAME", "nvrtc or clang (default: the first found)",
                                 nullptr};
constexpr Option arch_option{"arch", "N", "compute capability to compile for (80)", nullptr};
constexpr Option suppress_option{
    "suppress", "FILE",
    "flaws that are allowed, a line each: 'race sum.cu:12 REASON'; or in "
    "the source: // onefold allow race: REASON",
    nullptr};
constexpr Option sarif_option{"sarif", "FILE", "write what is found as SARIF 2.1.0 too", nullptr};
constexpr Option junit_option{"junit", "FILE", "write it as JUnit XML too", nullptr};

constexpr Option csv_option{"csv", "FILE", "write a row of counters for each launch as CSV too",
                            nullptr};

constexpr Option hints_option{"hints", "K", "of a puzzle the first K hints of three", nullptr};

constexpr Option rung{"rung", "NAME,...", "only these rungs; path: the ten to begin with", nullptr};
constexpr Option n{
    "n", "N", "elements, such as 1000 or 2^20+3 (default 2^16 simulated, 2^24 on a GPU)", nullptr};
constexpr Option block{"block", "B", "threads a block (default 256)", nullptr};
constexpr Option grid{"grid", "G", "blocks, where a rung leaves their number open", nullptr};
constexpr Option sweep{"sweep", "block|grid|n", "a row for each of several values", nullptr};
constexpr Option type{"type", "T", "i32 (default), i64, f32 or f64", nullptr};
constexpr Option op{"op", "OP", "sum (default), min or max, where a rung has it", nullptr};
constexpr Option offset{"offset", "BYTES", "the input begins so far off a border of 256 bytes",
                        nullptr};
constexpr Option seed{"seed", "S",
                      "of the elements, integers 0..255 (0..7 above 2^24); rand: those of text 001",
                      nullptr};
constexpr Option machine{"machine", "gpu|sim", "where kernels run", nullptr};
constexpr Option chip{"chip", "CHIP", "memory rules of cc10, cc12, cc20 or sm_90 (default)",
                      nullptr};
constexpr Option schedules{"schedules", "N",
                           "orders tried: lock-step, to the next sync, then drawn ones (default 2, "
                           "and as many as take little time where atomics show an order)",
                           nullptr};

constexpr Option order_option{"order", "NAME", "only this order, by its name in a report", nullptr};
constexpr Option preemptions_option{
    "preemptions", "K", "also all small orders of blocks or warps with at most K preemptions",
    nullptr};
constexpr Option actors_option{"actors", "A", "of small orders the blocks at once (2)", nullptr};

constexpr Option replays{"replays", "N",
                         "timed runs of which the median counts (default 9); 0: run once", nullptr};
constexpr Option counters{
    "counters", nullptr,
    "ncu's figures beside those predicted (of reduce with n = 2^20, else of simulated sizes)",
    nullptr};
constexpr Option page{
    "page", "FILE.html",
    "write a page that explains the run; FILE.md: a document, FILE.json: its data", nullptr};
constexpr Option results{"results", "FILE.json",
                         "on the page, times of an earlier run on a GPU (--json)", nullptr};

constexpr Option port{"port", "N", "of lab serve (default: any that is free)", nullptr};

constexpr const Option* lab_options[] = {&kernel_option,
                                         &args_option,
                                         &launch_option,
                                         &shared_option,
                                         &print_option,
                                         &expect_option,
                                         &cooperative_option,
                                         &budget_option,
                                         &compiler_option,
                                         &arch_option,
                                         &as_written_option,
                                         &suppress_option,
                                         &sarif_option,
                                         &junit_option,
                                         &csv_option,
                                         &hints_option,
                                         &rung,
                                         &n,
                                         &block,
                                         &grid,
                                         &sweep,
                                         &type,
                                         &op,
                                         &offset,
                                         &seed,
                                         &machine,
                                         &chip,
                                         &schedules,
                                         &order_option,
                                         &preemptions_option,
                                         &actors_option,
                                         &replays,
                                         &counters,
                                         &page,
                                         &results,
                                         &port,
                                         &option::threads,
                                         &option::output,
                                         &option::json,
                                         &option::help,
                                         &option::version};

}  // namespace

const Verb lab_verb{
    .name = "lab",
    .usage = "lab [EXPERIMENT | run FILE.cu|- [WORD...] | puzzle [NAME [FILE.cu|-]] | serve]",
    .idea =
        "Experiments with GPU kernels, of the classic texts or yours, on a GPU or a simulated one.",
    .options = lab_options,
    .examples =
        "onefold lab                            # the experiments, one line each\n"
        "onefold lab banks --chip cc12          # patterns of shared memory on an old chip\n"
        "onefold lab reduce --rung path         # the ten rungs to begin with, in order\n"
        "onefold lab reduce                     # every rung, corrected and as published\n"
        "onefold lab reduce --rung modulo,strided_index --chip cc12\n"
        "onefold lab reduce --rung reduction1_kernel --sweep grid --json\n"
        "onefold lab reduce --rung reduction1_kernel --offset 4   # the input 4 bytes off a "
        "border\n"
        "onefold lab reduce --rung modulo,sequential --counters   # with ncu, on a GPU\n"
        "onefold lab transpose --counters       # sectors and wavefronts, predicted and by ncu\n"
        "onefold lab all --page lab.html        # every experiment, on one page\n"
        "onefold lab run sum.cu --kernel sum --grid 4 --block 256 --args 'x:i32[1000]=iota, "
        "y:i32[4], n=1000'   # a kernel of yours\n"
        "onefold lab run homework.cu 1000       # its own main(), with its launches simulated\n"
        "onefold lab puzzle                     # kernels to mend, and what judges them\n"
        "onefold lab serve                      # a page to type CUDA into, for this machine alone",
    .run = run_lab};

}  // namespace onefold::cli
