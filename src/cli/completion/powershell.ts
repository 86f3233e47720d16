import { type CommandShape, type Generator, offersOf } from './shape.ts';
import type { Values, Word } from './values.ts';

/** Prints a script for PowerShell 5 or newer, which itself completes paths. No test runs it. */
export const powershell: Generator = (commands, names) => `\
# In $PROFILE: sync completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName ${names.join(', ')} -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $offers = @{
${commands.flatMap(offers).join('\n')}
  }
  $before = @($commandAst.CommandElements | ForEach-Object { "$_" })
  if ($wordToComplete -ne '') { $before = @($before | Select-Object -SkipLast 1) }
  $path = ''
  $last = ''
  $index = 0
  foreach ($element in $before | Select-Object -Skip 1) {
    $next = "$path $element".Trim()
    if ($offers.ContainsKey("\${next}:-")) { $path = $next; $index = 0 }
    elseif ($element -notlike '-*' -and -not $offers.ContainsKey("\${path}:$last")) { $index++ }
    $last = $element
  }
  $wanted = "\${path}:$index", "\${path}:*"
  if ($wordToComplete -like '-*') { $wanted = @("\${path}:-") }
  if ($offers.ContainsKey("\${path}:$last")) { $wanted = @("\${path}:$last") }
  $key = $wanted | Where-Object { $offers.ContainsKey($_) } | Select-Object -First 1
  if ($null -eq $key) { return }
  $offers[$key] | ForEach-Object {
    if ($_ -like '<*>') { & $before[0] complete $_.Trim('<', '>') -- $last } else { $_ }
  } | Where-Object { $_ -like "$wordToComplete*" } | ForEach-Object {
    $word, $about = $_ -split "\`t"
    if (-not $about) { $about = $word }
    [System.Management.Automation.CompletionResult]::new($word, $word, 'ParameterValue', $about)
  }
}`;

/** Returns the lines of the table for a command. */
function offers(shape: CommandShape): string[] {
  const own = shape.path.join(' ');
  return offersOf(shape).flatMap(({ at, values }) => line(`${own}:${at}`, values));
}

function line(key: string, { words, list }: Values): string[] {
  const items = [...words.map(described), ...(list === undefined ? [] : [quote(`<${list}>`)])];
  return [`    ${quote(key)} = @(${items.join(', ')})`];
}

function described({ word, about }: Word): string {
  return about === '' ? quote(word) : `"${word}\`t${about.replace(/["$`]/g, '`$&')}"`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
