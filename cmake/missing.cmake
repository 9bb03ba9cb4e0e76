# Reports a missing requirement of the build, by the name of its package on each system.
#   gpugraph_missing(WHAT DEBIAN FEDORA ARCH HOMEBREW [HINT])
function(gpugraph_missing what debian fedora arch homebrew)
  if(ARGC GREATER 5)
    set(hint "\n${ARGV5}")
  endif()
  message(FATAL_ERROR "gpugraph needs ${what}. Install it:\n"
    "  Debian, Ubuntu  sudo apt-get install ${debian}\n"
    "  Fedora          sudo dnf install ${fedora}\n"
    "  Arch            sudo pacman -S ${arch}\n"
    "  macOS           ${homebrew}${hint}")
endfunction()
