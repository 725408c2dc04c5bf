# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# cmake -DGANTRY=program -DOUT=folder -P pages.cmake
# Manual pages and completion scripts, as the program itself prints them.
function(page file)
  execute_process(COMMAND ${GANTRY} ${ARGN} OUTPUT_FILE ${OUT}/${file}
    COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(MAKE_DIRECTORY ${OUT}/man1 ${OUT}/completions)
page(man1/gantry.1 help --man)
file(READ ${OUT}/man1/gantry.1 overview)
string(REGEX MATCHALL "BR gantry[^ ]+" verbs "${overview}")
list(TRANSFORM verbs REPLACE "BR gantry..(.*)" "\\1")
list(TRANSFORM verbs REPLACE "\\\\-" "-")
foreach(verb IN LISTS verbs)
  page(man1/gantry-${verb}.1 help --man ${verb})
endforeach()
page(completions/gantry completion bash)
page(completions/_gantry completion zsh)
page(completions/gantry.fish completion fish)
