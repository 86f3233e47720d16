@"%~dp0..\node.exe" "%~dp0..\dist\main.cjs" %*
