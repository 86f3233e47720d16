@setlocal
@set "ATHLETE_SYNC_NAME=%~n0"
@"%~dp0..\node.exe" "%~dp0..\dist\main.cjs" %*
