// plumbline data: the paper's data sets, published and simulated.
#include <fmt/format.h>

#include "base/json.h"
#include "base/names.h"
#include "base/printable.h"
#include "command_line/arguments.h"
#include "commands.h"
#include "csv/cell_values.h"
#include "io/output_file.h"
#include "paper/datasets/fetch.h"
#include "paper/datasets/insurance.h"
#include "paper/datasets/loan.h"
#include "plumbline/error.h"

namespace plumbline::app {
namespace {

constexpr Index kRowsTogether = 16'384;

std::string header(const std::vector<std::string>& names) { return fmt::format("{}\n", fmt::join(names, ",")); }

// The text of a simulation's rows, in blocks.
template <class Generator, class Line>
void write_rows(const Generator& generator, std::int64_t rows, const Line& line, OutputFile& output, Console& console) {
  output.write(header(Generator::column_names()));
  console.start("generating");
  std::string text;
  for (std::int64_t first = 0; first < rows; first += kRowsTogether) {
    const auto block = generator.rows(first, std::min<std::int64_t>(kRowsTogether, rows - first));
    text.clear();
    for (Index i = 0; i < std::min<std::int64_t>(kRowsTogether, rows - first); ++i) line(block, i, text);
    output.write(text);
  }
  console.end_progress();
  output.commit();
}

class DataCommand final : public Command {
 public:
  DataCommand(Flags& program, Console& console)
      : Command(program, "data", "The paper's data: list it, download it, simulate it", console) {
    Flags& command = flags();
    command.require_command();
    list_.value("--data-dir", data_dir_, "DIR", "Where files are looked for first");
    list_.flag("--json", json_, "As JSON");
    list_.footer("Example:\n  plumbline data list");
    generate_.value("NAME", name_, "insurance|loan", "Of which simulation", Need::required);
    generate_.value("--rows", rows_, "N", "How many");
    generate_.value("--seed", seed_, "N", "The same seed gives the same rows, on any machine");
    generate_.value("--output,-o", output_, "FILE", "Where they go; standard output by default");
    generate_.flag("--force", force_, "Replace a file that exists");
    generate_.footer("Example:\n  plumbline data generate loan --rows 100000 --seed 1 --output loan.csv");
    fetch_.value("NAME", names_, "adult|compas|crime", "Which set; all by default");
    fetch_.value("--data-dir", data_dir_, "DIR", "Where files go; $XDG_CACHE_HOME/plumbline by default");
    fetch_.value("--url", url_, "URL", "A mirror; the name of the file is added to it");
    fetch_.footer("Example:\n  plumbline data fetch adult");
    command.footer("Example:\n  plumbline data generate insurance --rows 10000 --output insurance.csv");
  }

  int run() override {
    if (list_.is_chosen()) return list();
    return generate_.is_chosen() ? generate() : fetch();
  }

 private:
  int list() {
    Json out = Json::array();
    for (const Dataset& dataset : datasets()) {
      Json files = Json::array();
      if (!json_) fmt::print("{:<10}{}\n{:10}{}\n", dataset.name, dataset.description, "", dataset.page);
      for (const DatasetFile& file : dataset.files) {
        std::string where, problem;
        try {
          where = find_dataset_file(file.name, data_dir_).string();
        } catch (const Error& error) {
          problem = error.what();
        }
        if (json_) {
          files.push_back({{"name", file.name},
                           {"url", file.url},
                           {"sha256", file.sha256},
                           {"rows", file.rows},
                           {"lines_before_data", file.lines_before_data},
                           {"path", where.empty() ? Json() : Json(where)}});
          if (!problem.empty()) files.back()["problem"] = problem;
        }
        if (!json_)
          fmt::print("{:10}{}, {} rows: {}\n", "", file.name, file.rows,
                     where.empty() ? fmt::format("not here; plumbline data fetch {}", dataset.name) : where);
      }
      if (json_)
        out.push_back({{"name", dataset.name},
                       {"description", dataset.description},
                       {"page", dataset.page},
                       {"columns", std::vector<std::string>(dataset.columns.begin(), dataset.columns.end())},
                       {"sensitive", std::vector<std::string>(dataset.sensitive.begin(), dataset.sensitive.end())},
                       {"target", dataset.target},
                       {"files", files}});
    }
    for (const auto& [name, text] : {std::pair<const char*, const char*>{
                                         "insurance", "simulated insurance prices: one continuous sensitive column"},
                                     {"loan", "simulated loan decisions: three groups"}}) {
      if (json_)
        out.push_back({{"name", name}, {"description", text}, {"simulated", true}});
      else
        fmt::print("{:<10}{}; plumbline data generate {}\n", name, text, name);
    }
    if (json_) fmt::print("{}\n", dump_json(out, 2));
    return kDone;
  }

  int generate() {
    const std::int64_t rows = integer_of("--rows", rows_, 1, std::int64_t{1} << 40);
    const auto seed =
        static_cast<std::uint64_t>(integer_of("--seed", seed_, 0, std::numeric_limits<std::int64_t>::max()));
    const bool insurance = choice_of<bool>("NAME", name_, {{"insurance", true}, {"loan", false}});
    require_name("--output", output_);
    OutputFile output(output_, {force_, {}});
    if (insurance)
      write_rows(
          InsuranceGenerator({.seed = seed}), rows,
          [](const InsuranceRows& block, Index i, std::string& text) {
            append_number(text, block.b[i]);
            for (Index j = 0; j < block.a.cols(); ++j) append_number(text += ',', block.a(i, j));
            append_number(text += ',', block.y[i]);
            text += '\n';
          },
          output, console());
    else
      write_rows(
          LoanGenerator({.seed = seed}), rows,
          [](const LoanRows& block, Index i, std::string& text) {
            text += LoanGenerator::group_name(block.group[i]);
            append_number(text += ',', block.education[i]);
            append_number(text += ',', block.income[i]);
            text += block.approved[i] != 0 ? ",1\n" : ",0\n";
          },
          output, console());
    return kDone;
  }

  int fetch() {
    if (names_.empty())
      for (const Dataset& dataset : datasets()) names_.emplace_back(dataset.name);
    if (!url_.empty() && !url_.starts_with("http://") && !url_.starts_with("https://"))
      throw Error(fmt::format("--url is '{}'; it must start with http:// or https://", url_));
    FetchOptions options{.folder = data_dir_, .base_url = url_};
    options.progress = [this](const DatasetFile&, std::int64_t bytes, std::int64_t total) {
      console().progress(static_cast<std::uint64_t>(bytes), static_cast<std::uint64_t>(total));
    };
    std::vector<const Dataset*> chosen;
    for (const std::string& name : names_) chosen.push_back(&find_dataset(name));
    for (const Dataset* dataset : chosen) {
      console().start(fmt::format("fetching {}", dataset->name));
      for (const FetchedFile& file : fetch_dataset(*dataset, options)) {
        console().end_progress();
        fmt::print("{}\n", printable_line(file.path.string()));
        console().say(file.downloaded ? "downloaded, checksum as published" : "was there, checksum as published");
      }
    }
    return kDone;
  }

  Flags list_ = flags().command("list", "The data sets, and where their files are");
  Flags generate_ = flags().command("generate", "Simulate insurance prices or loan decisions");
  Flags fetch_ = flags().command("fetch", "Download adult, compas or crime, and check it");
  std::string data_dir_, name_, rows_ = "1000", seed_ = "0", output_ = "-", url_;
  std::vector<std::string> names_;
  bool json_ = false, force_ = false;
};

}  // namespace

std::unique_ptr<Command> make_data(Flags& program, Console& console) {
  return std::make_unique<DataCommand>(program, console);
}

}  // namespace plumbline::app
