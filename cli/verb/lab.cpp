#include "cli/lab.hpp"
#include "cli/option.hpp"

namespace onefold::cli {
namespace {

constexpr Option kernel_option{
    "kernel", "NAME",
    "the kernel to launch; for a template, include its arguments, such as sum<float>", nullptr};
constexpr Option args_option{"args", "LIST",
                             "arguments of the kernel, such as 'in:i32[2^14]=iota, out:i32[64], "
                             "n=16384'; fill an array with iota, zeros, ones, rand, a number, [1, "
                             "2, 3] or @FILE (raw elements); write a struct as s={in, i32:5}",
                             nullptr};
constexpr Option launch_option{"launch", "LIST",
                               "several launches: 'k<<<64, 256, 1024>>>(in, out, n); ...', instead "
                               "of --kernel, --grid, --block and --shared",
                               nullptr};
constexpr Option as_written_option{
    "as-written", nullptr, "compile without optimisation, so that no memory access is removed",
    nullptr};
constexpr Option shared_option{"shared", "BYTES", "bytes of dynamic shared memory", nullptr};
constexpr Option print_option{"print", "NAME,...", "arrays to print after the run", nullptr};
constexpr Option expect_option{"expect", "LIST",
                               "what must be true after the run: 'out[0]==32640, sum(out)>0, "
                               "unwritten(out)==0'; also !=, <, <=, >=, and ~= for floats",
                               nullptr};
constexpr Option cooperative_option{"cooperative", nullptr,
                                    "a cooperative launch: all blocks run at once", nullptr};
constexpr Option budget_option{
    "budget", "N", "stop after this many steps, counted over all threads (default 2^32)", nullptr};
constexpr Option compiler_option{"compiler", "NAME",
                                 "nvrtc or clang (default: the first one found)", nullptr};
constexpr Option arch_option{"arch", "N", "compute capability to compile for (default 80)",
                             nullptr};
constexpr Option suppress_option{"suppress", "FILE",
                                 "a file of findings to ignore, one a line: 'race sum.cu:12 "
                                 "REASON'; or write in the source: // onefold allow race: REASON",
                                 nullptr};
constexpr Option sarif_option{"sarif", "FILE", "also write the findings as SARIF 2.1.0", nullptr};
constexpr Option junit_option{"junit", "FILE", "also write the findings as JUnit XML", nullptr};

constexpr Option csv_option{"csv", "FILE",
                            "also write the counters as CSV, one row for each launch", nullptr};

constexpr Option hints_option{"hints", "K", "for a puzzle: show the first K of its three hints",
                              nullptr};

constexpr Option rung{"rung", "NAME,...",
                      "run only these kernels; path means the ten to begin with", nullptr};
constexpr Option n{
    "n", "N", "number of elements, such as 1000 or 2^20+3 (default 2^16 simulated, 2^24 on a GPU)",
    nullptr};
constexpr Option block{"block", "B", "threads in a block (default 256)", nullptr};
constexpr Option grid{"grid", "G",
                      "number of blocks, for kernels that do not determine it themselves", nullptr};
constexpr Option sweep{"sweep", "block|grid|n",
                       "run with several values of this and print a row for each", nullptr};
constexpr Option type{"type", "T", "type of the elements: i32 (default), i64, f32 or f64", nullptr};
constexpr Option op{"op", "OP", "sum (default), min or max, if the kernel supports it", nullptr};
constexpr Option offset{"offset", "BYTES",
                        "begin the input this many bytes after a multiple of 256 bytes", nullptr};
constexpr Option seed{"seed", "S",
                      "seed of the random input, integers 0..255 (0..7 above 2^24 elements); rand: "
                      "the input used by the first article",
                      nullptr};
constexpr Option machine{"machine", "gpu|sim", "where kernels run (default: a GPU if there is one)",
                         nullptr};
constexpr Option chip{"chip", "CHIP", "memory rules of cc10, cc12, cc20 or sm_90 (default)",
                      nullptr};
constexpr Option schedules{
    "schedules", "N",
    "number of thread orders to try: lock-step, then each thread up to the next barrier, then "
    "random ones (default 2; more if atomics depend on the order)",
    nullptr};

constexpr Option order_option{
    "order", "NAME", "try only the thread order with this name, which a report prints", nullptr};
constexpr Option preemptions_option{
    "preemptions", "K", "also try every order of a few blocks or warps with at most K preemptions",
    nullptr};
constexpr Option actors_option{
    "actors", "A", "number of blocks that run at once with --preemptions (default 2)", nullptr};

constexpr Option replays{
    "replays", "N",
    "number of timed runs, of which the median counts (default 9); 0: run once, untimed", nullptr};
constexpr Option counters{"counters", nullptr,
                          "also measure with ncu, and print its counters next to the predicted "
                          "ones (reduce uses n = 2^20)",
                          nullptr};
constexpr Option page{
    "page", "FILE.html",
    "write a page that explains the run; FILE.md gets a document, FILE.json the data", nullptr};
constexpr Option results{
    "results", "FILE.json",
    "show the times of an earlier run on a GPU on the page (a file written by --json)", nullptr};

constexpr Option port{"port", "N", "port of lab serve (default: any free one)", nullptr};

constexpr const Option* lab_options[] = {&rung,
                                         &n,
                                         &type,
                                         &op,
                                         &offset,
                                         &seed,
                                         &sweep,
                                         &replays,
                                         &kernel_option,
                                         &args_option,
                                         &launch_option,
                                         &grid,
                                         &block,
                                         &shared_option,
                                         &cooperative_option,
                                         &print_option,
                                         &expect_option,
                                         &compiler_option,
                                         &arch_option,
                                         &as_written_option,
                                         &machine,
                                         &chip,
                                         &schedules,
                                         &order_option,
                                         &preemptions_option,
                                         &actors_option,
                                         &budget_option,
                                         &suppress_option,
                                         &sarif_option,
                                         &junit_option,
                                         &csv_option,
                                         &counters,
                                         &page,
                                         &results,
                                         &hints_option,
                                         &port,
                                         &option::threads,
                                         &option::output,
                                         &option::json,
                                         &option::help,
                                         &option::version};
constexpr Heading lab_headings[] = {{&rung, "Experiments"},
                                    {&kernel_option, "Your own kernels (lab run)"},
                                    {&machine, "How kernels run"},
                                    {&suppress_option, "Reports"},
                                    {&hints_option, "Puzzles and lab serve"}};

}  // namespace

const Verb lab_verb{
    .name = "lab",
    .usage = "lab [NAME | run FILE.cu [WORD...] | puzzle [NAME [FILE.cu]] | serve]",
    .idea = "Run experiments with GPU kernels, on a GPU or a simulated one.",
    .options = lab_options,
    .headings = lab_headings,
    .examples =
        "onefold lab                            # a list of the experiments\n"
        "onefold lab banks --chip cc12          # shared memory of an old chip\n"
        "onefold lab reduce --rung path         # ten kernels to begin with, in order\n"
        "onefold lab reduce                     # all kernels, fixed and as published\n"
        "onefold lab reduce --rung modulo,strided_index --chip cc12\n"
        "onefold lab reduce --rung reduction1_kernel --sweep grid --json\n"
        "onefold lab reduce --rung reduction1_kernel --offset 4  # a misaligned input\n"
        "onefold lab reduce --rung modulo,sequential --counters  # with ncu, on a GPU\n"
        "onefold lab transpose --counters       # counters, predicted and by ncu\n"
        "onefold lab all --page lab.html        # every experiment, on one page\n"
        "onefold lab run homework.cu 1000       # a program with main(), simulated\n"
        "onefold lab run sum.cu --kernel sum --grid 4 --block 256 \\\n"
        "  --args 'x:i32[1000]=iota, y:i32[4], n=1000'    # one kernel of yours\n"
        "cat sum.cu | onefold lab run - 1000    # - is stdin\n"
        "onefold lab puzzle                     # broken kernels for you to fix\n"
        "onefold lab serve                      # a local web page to type CUDA into",
    .run = run_lab};

}  // namespace onefold::cli
