#include "io/temporary_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <memory>
#include <set>

#include "byte_forms.h"
#include "child_process.h"
#include "io/output_file.h"
#include "io/signal_message.h"
#include "scratch_folder.h"

namespace plumbline {
namespace {

using testing::ChildProcess;
using testing::Redirected;
using testing::ScratchFolder;
using Names = std::vector<std::string>;

TEST(TemporaryFile, IsRemovedUnlessRenamed) {
  const ScratchFolder folder;
  {
    TemporaryFile dropped(folder.path().string(), 0600), kept(folder.path().string(), 0600),
        nameless(folder.path().string(), 0600);
    nameless.remove();
    EXPECT_EQ(folder.names().size(), 2);
    EXPECT_TRUE(write_fully(nameless.file(), "still open"));
    EXPECT_TRUE(kept.rename_to(folder / "kept", false));
    EXPECT_FALSE(dropped.rename_to(folder / "kept", false));
    EXPECT_EQ(errno, EEXIST);
  }
  EXPECT_EQ(folder.names(), Names{"kept"});
}

TEST(TemporaryFile, AnyNumberHaveNamesOfTheirOwn) {
  const ScratchFolder folder;
  std::vector<std::unique_ptr<TemporaryFile>> files;
  std::set<std::string> paths;
  for (int i = 0; i < 100; ++i) {  // more than there are slots for signals
    files.push_back(std::make_unique<TemporaryFile>(folder.path().string(), 0600));
    paths.insert(files.back()->path());
  }
  EXPECT_EQ(paths.size(), 100);
  EXPECT_EQ(folder.names().size(), 100);
  files.clear();
  EXPECT_EQ(folder.names(), Names{});
}

TEST(TemporaryFile, AForkedChildDoesNotRemoveIt) {
  const ScratchFolder folder;
  auto file = std::make_unique<TemporaryFile>(folder.path().string(), 0600);
  ChildProcess exiting([&](const auto&) { file.reset(); });
  EXPECT_EQ(exiting.end(), 0);
  EXPECT_EQ(folder.names().size(), 1);
  ChildProcess dying([&](const auto& ready) {
    remove_temporary_files_on_signals();
    ready();
  });
  EXPECT_EQ(dying.end_by(SIGTERM), SIGTERM);
  EXPECT_EQ(folder.names().size(), 1);
  file.reset();
  EXPECT_EQ(folder.names(), Names{});
}

TEST(TemporaryFile, SignalsRemoveItAndStillKill) {
  const ScratchFolder folder;
  folder.put("a", "old");
  for (const int signal : {SIGHUP, SIGINT, SIGPIPE, SIGTERM, SIGXFSZ}) {
    ChildProcess child([&](const auto& ready) {
      remove_temporary_files_on_signals();
      remove_temporary_files_on_signals();  // a second call is no harm
      OutputFile one(folder / "a", {.force = true}), two(folder / "b"), done(folder / "c", {.force = true});
      one.write(std::string(3000000, 'x'));
      done.commit();
      ready();
    });
    EXPECT_EQ(folder.names().size(), 4);
    EXPECT_EQ(child.end_by(signal), signal);
    EXPECT_EQ(folder.names(), (Names{"a", "c"})) << signal;
    EXPECT_EQ(folder.get("a"), "old");
  }
}

TEST(SignalMessage, AreThoseThatWereSetLast) {
  const ScratchFolder folder;
  const auto said = [&](const Names& words, bool in_child_of_speaker) {
    folder.put("words", "");
    ChildProcess child([&](const auto& ready) {
      const Descriptor file(::open((folder / "words").c_str(), O_WRONLY | O_CLOEXEC));
      const Redirected error(STDERR_FILENO, file.number());
      remove_temporary_files_on_signals();
      for (const std::string& text : words) set_signal_message(text);
      if (in_child_of_speaker && ::fork() == 0) ::raise(SIGTERM);
      if (in_child_of_speaker) ::wait(nullptr);
      ready();
    });
    EXPECT_EQ(child.end_by(in_child_of_speaker ? SIGKILL : SIGINT), in_child_of_speaker ? SIGKILL : SIGINT);
    return folder.get("words");
  };
  EXPECT_EQ(said({}, false), "");
  EXPECT_EQ(said({"one\n"}, false), "one\n");
  EXPECT_EQ(said({"one\n", "two, longer\n", "3\n"}, false), "3\n");
  EXPECT_EQ(said({"one\n", ""}, false), "");
  EXPECT_EQ(said({std::string(2000, 'x')}, false), std::string(1024, 'x'));
  EXPECT_EQ(said({"one\n"}, true), "");
}

TEST(TemporaryFile, AReaderThatGoesEndsTheProcessQuietly) {
  const ScratchFolder folder;
  ChildProcess child([&](const auto&) {
    remove_temporary_files_on_signals();
    int ends[2];
    if (::pipe(ends) != 0) return;
    ::close(ends[0]);
    const Redirected output(STDOUT_FILENO, ends[1]);
    OutputFile model(folder / "model"), data("-");
    data.write("nobody will read this");
    commit_all({&model, &data});
  });
  EXPECT_EQ(child.end(), SIGPIPE);
  EXPECT_EQ(folder.names(), Names{});
}

TEST(TemporaryFile, SignalsThatAreIgnoredStayIgnored) {
  const ScratchFolder folder;
  ChildProcess child([&](const auto& ready) {
    std::signal(SIGHUP, SIG_IGN);
    remove_temporary_files_on_signals();
    const OutputFile file(folder / "a");
    std::raise(SIGHUP);
    ready();
  });
  EXPECT_EQ(folder.names().size(), 1);
  EXPECT_EQ(child.end_by(SIGINT), SIGINT);
  EXPECT_EQ(folder.names(), Names{});
}

}  // namespace
}  // namespace plumbline
