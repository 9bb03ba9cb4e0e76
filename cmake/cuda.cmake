# Decides whether the CUDA backend is compiled, and for which architectures: sets GPUGRAPH_WITH_CUDA.
#   GPUGRAPH_CUDA=ON     for all supported architectures, or those of CMAKE_CUDA_ARCHITECTURES
#   GPUGRAPH_CUDA=AUTO   if nvcc is installed: for the devices of this machine, or those of CMAKE_CUDA_ARCHITECTURES.
#                        Without either, only the CPU backend is built, which takes a tenth of the time.
# In a build without CUDA, gpu/backend/no_cuda.c gives the reason.
set(GPUGRAPH_WITH_CUDA OFF CACHE INTERNAL "")
function(gpugraph_no_cuda why)
  set_source_files_properties(gpu/backend/no_cuda.c PROPERTIES
    COMPILE_DEFINITIONS "GPUGRAPH_NO_CUDA=\"${why}\"")
endfunction()
if(GPUGRAPH_CUDA STREQUAL "OFF")
  gpugraph_no_cuda("it was configured with GPUGRAPH_CUDA=OFF")
  return()
endif()

# The architectures of the devices, as CMake writes them (9.0: 90); empty without a device.
function(gpugraph_devices result)
  find_program(GPUGRAPH_NVIDIA_SMI nvidia-smi HINTS /usr/lib/wsl/lib)
  mark_as_advanced(GPUGRAPH_NVIDIA_SMI)
  set(found "")
  if(GPUGRAPH_NVIDIA_SMI)
    execute_process(COMMAND ${GPUGRAPH_NVIDIA_SMI} --query-gpu=compute_cap --format=csv,noheader
                    OUTPUT_VARIABLE lines ERROR_QUIET RESULT_VARIABLE status)
    if(status EQUAL 0)
      string(REGEX MATCHALL "[0-9]+[.][0-9]" found "${lines}")
      string(REPLACE "." "" found "${found}")
      list(REMOVE_DUPLICATES found)
    endif()
  endif()
  set(${result} "${found}" PARENT_SCOPE)
endfunction()

check_language(CUDA)
if(NOT CMAKE_CUDA_COMPILER)
  if(GPUGRAPH_CUDA STREQUAL "ON")
    gpugraph_missing("nvcc, since GPUGRAPH_CUDA is ON" nvidia-cuda-toolkit cuda-toolkit cuda
      "has no CUDA"
      "A toolkit that is in no PATH is named by the environment: CUDACXX=/usr/local/cuda/bin/nvcc")
  endif()
  gpugraph_no_cuda("nvcc was not found when it was built")
  return()
endif()
if(NOT CMAKE_CUDA_ARCHITECTURES)
  gpugraph_devices(architectures)
  if(GPUGRAPH_CUDA STREQUAL "ON" OR (NOT architectures AND EXISTS /dev/nvidiactl))
    set(architectures 80-real 90)
  elseif(NOT architectures)
    message(STATUS "No CUDA backend: nvcc is here and no device; GPUGRAPH_CUDA=ON compiles it anyway")
    gpugraph_no_cuda("no device was found when it was built, and GPUGRAPH_CUDA=ON was not set")
    return()
  endif()
  set(CMAKE_CUDA_ARCHITECTURES ${architectures} CACHE STRING "")
endif()
message(STATUS "CUDA backend for the architectures ${CMAKE_CUDA_ARCHITECTURES}")
set(GPUGRAPH_WITH_CUDA ON CACHE INTERNAL "")
